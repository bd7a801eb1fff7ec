/** Cuts a message into scatter/gather entries of unequal length. */
import type { CounterDraws } from './counterDraws.ts';

/** Share of entries left empty, of 256. */
const EMPTY = 20;

/**
 * Fills `lengths` with 1 .. `most` pieces that add up to `total`, some of them empty, and returns their number; for
 * an empty message it may be 0. A piece takes up to twice the fair share of what is left, so that something remains
 * for the others on average.
 */
export function cutMessage(draws: CounterDraws, total: number, most: number, lengths: Float64Array): number {
  const pieces = draws.range(total === 0 ? 0 : 1, most);
  let left = total;
  for (let g = 0; g < pieces - 1; g++) {
    const draw = draws.uint32();
    let length = 0;
    if ((draw & 255) >= EMPTY) {
      const share = Math.ceil((2 * left) / (pieces - g));
      length = Math.floor(((draw >>> 8) / 2 ** 24) * ((share < left ? share : left) + 1));
    }
    lengths[g] = length;
    left -= length;
  }
  if (pieces > 0) lengths[pieces - 1] = left;
  return pieces;
}
