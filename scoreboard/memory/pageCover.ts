/**
 * Which bytes of a page are taken: one bit for each byte, and one for each word of 32 bytes that is full, so that long
 * ranges are taken by the word.
 */

import { PAGE_BYTES } from './scoreboardMemory.ts';

const SHIFT = 5;
const MASK = 31;
const WORDS = PAGE_BYTES >> SHIFT;

/** What `take` found: some of the bytes were free, some were taken. */
export const SOME_FREE = 1;
export const SOME_TAKEN = 2;

export class PageCover {
  /** Bits of bytes, of words that are neither full nor untouched. */
  readonly #bits = new Int32Array(WORDS);
  /** Bits of full words. */
  readonly #full = new Int32Array(WORDS >> SHIFT);
  /** Bits of words that have been touched: the bits of the others need not be cleared. */
  readonly #touched = new Int32Array(WORDS >> SHIFT);

  /** Makes every byte free. */
  clear(): void {
    const full = this.#full;
    const touched = this.#touched;
    for (let i = 0; i < full.length; i++) {
      full[i] = 0;
      touched[i] = 0;
    }
  }

  /** Takes the bytes [from, to), which is not empty. Returns `SOME_FREE`, `SOME_TAKEN` or both bits. */
  take(from: number, to: number): number {
    const first = from >> SHIFT;
    const last = (to - 1) >> SHIFT;
    const head = -1 << (from & MASK);
    const tail = -1 >>> (MASK - ((to - 1) & MASK));
    if (first === last) return this.#takeIn(first, head & tail);
    const ends = this.#takeIn(first, head) | this.#takeIn(last, tail);
    return first + 1 < last ? ends | this.#takeWords(first + 1, last) : ends;
  }

  /** First free byte of [from, end), or `end`. */
  nextFree(from: number, end: number): number {
    return this.#next(from, end, -1);
  }

  /** First byte of [from, end) that is taken, or `end`. */
  nextTaken(from: number, end: number): number {
    return this.#next(from, end, 0);
  }

  /** Takes bytes of one word. */
  #takeIn(word: number, mask: number): number {
    const old = this.#word(word);
    if ((old & mask) === mask) return SOME_TAKEN;
    const i = word >> SHIFT;
    const bit = 1 << (word & MASK);
    this.#bits[word] = old | mask;
    this.#touched[i] = (this.#touched[i] as number) | bit;
    if ((old | mask) === -1) this.#full[i] = (this.#full[i] as number) | bit;
    return (old & mask) === 0 ? SOME_FREE : SOME_FREE | SOME_TAKEN;
  }

  /** Takes the words [from, to). */
  #takeWords(from: number, to: number): number {
    const full = this.#full;
    const touched = this.#touched;
    const last = (to - 1) >> SHIFT;
    let free = 0;
    let taken = 0;
    let mask = -1 << (from & MASK);
    for (let i = from >> SHIFT; i <= last; i++, mask = -1) {
      if (i === last) mask &= -1 >>> (MASK - ((to - 1) & MASK));
      const old = full[i] as number;
      free |= mask & ~old;
      taken |= mask & (old | (touched[i] as number));
      full[i] = old | mask;
    }
    return (free !== 0 ? SOME_FREE : 0) | (taken !== 0 ? SOME_TAKEN : 0);
  }

  #word(i: number): number {
    const bit = 1 << (i & MASK);
    if (((this.#full[i >> SHIFT] as number) & bit) !== 0) return -1;
    return ((this.#touched[i >> SHIFT] as number) & bit) === 0 ? 0 : (this.#bits[i] as number);
  }

  /** First byte of [from, end) whose bit differs from those of `skipped` (0 or -1), or `end`. */
  #next(from: number, end: number, skipped: number): number {
    if (from >= end) return end;
    const stop = (end - 1) >> SHIFT;
    let i = from >> SHIFT;
    let found = (this.#word(i) ^ skipped) & (-1 << (from & MASK));
    while (found === 0 && i < stop) found = this.#word(++i) ^ skipped;
    if (found === 0) return end;
    const at = (i << SHIFT) + (32 - Math.clz32(~found & (found - 1)));
    return at < end ? at : end;
  }
}
