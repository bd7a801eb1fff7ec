/**
 * A longer copy of an array that is filled from the front, with room for `needed` words at least.
 *
 * Long arrays become four times as long: what has not been used costs address space only, and what is left behind for
 * the collector is a third of what is kept instead of all of it.
 */
export function widened(words: Int32Array, needed: number): Int32Array<ArrayBuffer> {
  const factor = words.length < LONG ? 2 : 4;
  const copy = new Int32Array(Math.max(needed, words.length * factor));
  copy.set(words);
  return copy;
}

/** From here on the memory of a new array comes untouched from the system. */
const LONG = 1 << 14;

/** A copy of an array of doubles, with zeros behind it up to `length`. */
export function lengthened(doubles: Float64Array, length: number): Float64Array<ArrayBuffer> {
  const copy = new Float64Array(length);
  copy.set(doubles);
  return copy;
}
