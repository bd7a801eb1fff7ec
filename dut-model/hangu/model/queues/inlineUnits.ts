/** 16-byte units of an inline segment: its count and data, rounded up. */
export function inlineUnits(size: number): number {
  return (size + 4 + 15) >> 4;
}
