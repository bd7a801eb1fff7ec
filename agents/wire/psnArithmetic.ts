/** Distance from PSN b to PSN a, -2^23 .. 2^23 - 1; positive when a is after b (roce-transport.md 3.1). */
export function psnCompare(a: number, b: number): number {
  return ((a - b) << 8) >> 8;
}

/** PSNs that a message, or the answer to a READ, of `length` bytes takes: one at least. */
export function psnsOf(length: number, mtu: number): number {
  return Math.max(1, Math.ceil(length / mtu));
}

/** The PSN n after a. */
export function psnAdd(a: number, n: number): number {
  return (a + n) & 0xffffff;
}
