/** What a blue-rdma NIC can do, in numbers (blue-rdma.md section 2). Data only. */

export const BLUE_LIMITS = {
  /** Entries of the tables; index 0 of the queue pairs is reserved. */
  maxQps: 1024,
  maxMrs: 8192,
  pageEntries: 1 << 17,
  /** Channels: a send ring and a meta report ring each. */
  maxChannels: 4,
  maxSge: 1,
  maxSendWr: 4096,
  maxRecvWr: 4096,
  /** Completion queues, which the driver keeps. */
  maxCqs: 2048,
  maxCqEntries: 1 << 16,
  maxMtuCode: 5,
  /** Longest region and longest message, bytes. */
  maxRegionBytes: 0x8000_0000,
  maxMessageBytes: 0x7fff_ffff,
} as const;

/** A number of a queue pair or a key is (index << 8) | 8 bits of its own. */
export const INDEX_SHIFT = 8;
/** Pages of the NIC's table, 2 MiB. */
export const PAGE_SHIFT = 21;
export const PAGE_BYTES = 1 << PAGE_SHIFT;
/** The driver cuts requests into chunks of at most this many bytes; one pair of descriptors each. */
export const CHUNK_BYTES = 65536;

/** The bitmap of a receive queue: bits, and PSNs of a stride. */
export const WINDOW_BITS = 128;
export const STRIDE_SHIFT = 4;
export const STRIDE = 1 << STRIDE_SHIFT;
/** From the first PSN of the newest stride, which reports carry, back to the first PSN of the window. */
export const WINDOW_BACK = WINDOW_BITS - STRIDE;

/** PSNs and messages that a sender may have outstanding. */
export const MAX_OUTSTANDING_PSNS = 1 << 23;
export const MAX_OUTSTANDING_MESSAGES = 1 << 15;
