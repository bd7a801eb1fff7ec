/** Byte order of a 32-bit word reversed, as a signed integer: network order to and from the store's little-endian words. */
export function swap32(v: number): number {
  return (v << 24) | ((v & 0xff00) << 8) | ((v >>> 8) & 0xff00) | (v >>> 24);
}
