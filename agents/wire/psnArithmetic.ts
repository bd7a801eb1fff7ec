/** Distance from PSN b to PSN a, -2^23 .. 2^23 - 1; positive when a is after b (roce-transport.md 3.1). */
export function psnCompare(a: number, b: number): number {
  return ((a - b) << 8) >> 8;
}

/** The PSN n after a. */
export function psnAdd(a: number, n: number): number {
  return (a + n) & 0xffffff;
}
