import { TWO_32 } from '../bytes/words.ts';

const TWO_53 = 2 ** 53;

/** Below this bound `x * n` of a 32-bit draw is exact in a double, so the multiply-high method needs no wide integers. */
const EXACT_PRODUCT = 2 ** 21;

/**
 * Draws that every random stream offers, built on one source of 32-bit words.
 *
 * How many words a draw takes, and in which order, is part of the contract: recorded seeds depend on it, and golden
 * values in the specs pin it.
 */
export abstract class RandomDraws {
  /** The next 32 random bits, as an unsigned integer. */
  abstract uint32(): number;

  /**
   * Uniform integer in 0 .. n-1, without bias (rejection instead of modulo).
   * @throws RangeError unless n is an integer in 1 .. 2^32.
   */
  below(n: number): number {
    if (n < EXACT_PRODUCT && n >= 1 && Math.floor(n) === n) {
      const x = this.uint32();
      return Math.imul(x, n) >>> 0 < n ? this.#retrySmall(x, n) : Math.floor((x * n) / TWO_32);
    }
    return this.#belowLarge(n);
  }

  /**
   * Uniform integer in lo .. hi, both included.
   * @throws RangeError unless both are safe integers, lo <= hi, and the range holds at most 2^53 values.
   */
  range(lo: number, hi: number): number {
    const count = hi - lo + 1;
    if (!(Number.isSafeInteger(lo) && Number.isSafeInteger(hi) && count >= 1 && count <= TWO_53))
      throw badRange(lo, hi);
    return lo + (count <= TWO_32 ? this.below(count) : this.#belowWide(count));
  }

  /** True with probability p; p <= 0 is never, p >= 1 always. One word is drawn in every case. */
  chance(p: number): boolean {
    return this.uint32() < p * TWO_32;
  }

  /** Uniform number in 0 <= x < 1 with 53 random bits (two words). */
  float(): number {
    const high = this.uint32() >>> 5;
    return (high * 2 ** 26 + (this.uint32() >>> 6)) / TWO_53;
  }

  /** One item, each equally likely. @throws RangeError for an empty list. */
  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new RangeError('pick: the list to pick from is empty');
    return items[this.below(items.length)] as T;
  }

  /**
   * One value, each as likely as its weight says. Weights are finite and not negative, whole or not; an entry of
   * weight 0 is never chosen.
   * @throws RangeError when a weight is negative or not finite, or when their sum is 0.
   */
  weighted<T>(table: readonly (readonly [weight: number, value: T])[]): T {
    let total = 0;
    for (const [weight] of table) total += checkedWeight(weight);
    if (total === 0) throw new RangeError(`weighted: no entry of the table (${table.length}) has a weight above 0`);
    let left = this.float() * total;
    let last = 0;
    for (let i = 0; i < table.length; i++) {
      const weight = (table[i] as readonly [number, T])[0];
      if (weight === 0) continue;
      if (left < weight) return (table[i] as readonly [number, T])[1];
      left -= weight;
      last = i;
    }
    // Rounding of the subtractions can leave a rest of a few 2^-53 beyond the last entry.
    return (table[last] as readonly [number, T])[1];
  }

  /** Shuffles the array in place (Fisher-Yates, every order equally likely) and returns it. */
  shuffle<T>(items: T[]): T[] {
    for (let i = items.length - 1; i > 0; i--) {
      const j = this.below(i + 1);
      const other = items[j] as T;
      items[j] = items[i] as T;
      items[i] = other;
    }
    return items;
  }

  /** Multiply-high method, rare case: the low half of the product may lie in the biased part. */
  #retrySmall(first: number, n: number): number {
    const biased = TWO_32 % n;
    let x = first;
    while (Math.imul(x, n) >>> 0 < biased) x = this.uint32();
    return Math.floor((x * n) / TWO_32);
  }

  #belowLarge(n: number): number {
    if (!(n >= 1 && n <= TWO_32 && Math.floor(n) === n)) {
      throw new RangeError(`below: the bound is ${n}; it must be an integer in 1 .. 2^32`);
    }
    const limit = TWO_32 - (TWO_32 % n);
    for (;;) {
      const x = this.uint32();
      if (x < limit) return x % n;
    }
  }

  /** For 2^32 < count <= 2^53. */
  #belowWide(count: number): number {
    const highs = Math.ceil(count / TWO_32);
    for (;;) {
      const x = this.below(highs) * TWO_32 + this.uint32();
      if (x < count) return x;
    }
  }
}

function checkedWeight(weight: number): number {
  if (!(weight >= 0 && weight < Infinity)) {
    throw new RangeError(`weighted: ${weight} is not a weight; weights are finite and not negative`);
  }
  return weight;
}

function badRange(lo: number, hi: number): RangeError {
  return new RangeError(`range: ${lo} .. ${hi} is not a range of at most 2^53 safe integers with lo <= hi`);
}
