/** Times that queue pairs are given as codes, in ps, and the count of retries that has no end. Data only. */

/** Number of RNR retries that stands for as many as it takes (roce-transport.md 3.8). @public */
export const RNR_RETRY_FOR_EVER = 7;

/** The most retries that a requester can be given for want of an answer. @public */
export const MOST_RETRIES = 7;

/** Time that a receiver which is not ready asks for, by code 0 .. 31 (roce-transport.md 3.4). @public */
export const RNR_TIMER_PS: readonly number[] = [
  65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144,
  8192, 12288, 16384, 24576, 32768, 49152,
].map((tensOfMicroseconds) => tensOfMicroseconds * 10_000_000);

/**
 * Local ACK Timeout, 4.096 us * 2^code for code 0 .. 31 (roce-transport.md 3.8). Code 0 means never instead.
 * @public
 */
export const ACK_TIMER_PS: readonly number[] = Array.from({ length: 32 }, (_, code) => 4_096_000 * 2 ** code);

/** A requester's time-out expires no later than after so many times its value (InfiniBand 9.7.6.1.3). @public */
export const ACK_TIMER_SLACK = 4;
