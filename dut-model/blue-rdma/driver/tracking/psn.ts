/** Packet and message sequence numbers of the driver: modulo 2^24 and 2^16 (blue-rdma.md section 6). */

const PSN_MASK = 0xff_ffff;
const MSN_MASK = 0xffff;

/** (psn + n) mod 2^24; n may be negative. */
export function psnAfter(psn: number, n: number): number {
  return (psn + n) & PSN_MASK;
}

/** Signed distance from `from` to `to`, -2^23 .. 2^23 - 1. */
export function psnDistance(from: number, to: number): number {
  return ((to - from) << 8) >> 8;
}

/** (msn + n) mod 2^16. */
export function msnAfter(msn: number, n: number): number {
  return (msn + n) & MSN_MASK;
}

/** Signed distance from `from` to `to`, -2^15 .. 2^15 - 1. */
export function msnDistance(from: number, to: number): number {
  return ((to - from) << 16) >> 16;
}
