/** One's-complement sum of 16-bit words (RFC 1071) of `length` bytes, with `before` added; 0xffff over right data. */
export function internetSum(bytes: Uint8Array, at: number, length: number, before = 0): number {
  let sum = before;
  for (let i = 0; i < length; i += 2)
    sum += ((bytes[at + i] as number) << 8) | (i + 1 < length ? (bytes[at + i + 1] as number) : 0);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return sum;
}
