/**
 * Packet sequence number arithmetic modulo 2^24 (roce-transport.md 3.1; IB vol. 1 9.7.2).
 */

/** (a + n) mod 2^24; n may be negative. @public */
export function psnAdd(a: number, n: number): number {
  return (a + n) & 0xffffff;
}

/**
 * Signed distance from b to a, -2^23 .. 2^23 - 1: positive when `a` is after `b`. Exactly half way counts as before.
 * @public
 */
export function psnCmp(a: number, b: number): number {
  return ((a - b) << 8) >> 8;
}
