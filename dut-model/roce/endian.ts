/** Byte order of a 32-bit word reversed, as a signed integer: network order to and from the store's little-endian words. */
export function swap32(v: number): number {
  return (v << 24) | ((v & 0xff00) << 8) | ((v >>> 8) & 0xff00) | (v >>> 24);
}

/** The first two bytes of a network-order word that was read as one of the store's. */
export function first16(v: number): number {
  return ((v & 0xff) << 8) | ((v >>> 8) & 0xff);
}

/** The last two bytes of such a word. */
export function last16(v: number): number {
  return ((v >>> 8) & 0xff00) | (v >>> 24);
}

/** The last three bytes of such a word. */
export function last24(v: number): number {
  return ((v & 0xff00) << 8) | ((v >>> 8) & 0xff00) | (v >>> 24);
}
