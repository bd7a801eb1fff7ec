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
