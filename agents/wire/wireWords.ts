/** Fields of the wire, which sends the most significant byte first, in words whose lowest byte is the first. */

/** Bytes 0 and 1. */
export function firstHalf(word: number): number {
  return ((word & 0xff) << 8) | ((word >>> 8) & 0xff);
}

/** Bytes 2 and 3. */
export function secondHalf(word: number): number {
  return ((word >>> 8) & 0xff00) | (word >>> 24);
}

/** Bytes 1 to 3. */
export function lastThree(word: number): number {
  return ((word << 8) & 0xff_0000) | ((word >>> 8) & 0xff00) | (word >>> 24);
}

/** All four, as a signed integer. */
export function wholeWord(word: number): number {
  return (word << 24) | ((word << 8) & 0xff_0000) | ((word >>> 8) & 0xff00) | (word >>> 24);
}

/** The word at any byte offset of the store: of its four bytes the first is the lowest. */
export function wordAt(w: Int32Array, at: number): number {
  const i = at >>> 2;
  const shift = (at & 3) << 3;
  return shift === 0 ? (w[i] as number) : ((w[i] as number) >>> shift) | ((w[i + 1] as number) << (32 - shift));
}
