/**
 * Draws for requests that are expanded on demand: the n-th draw is a hash of (key, place, n) and needs no state but
 * the counter, so that any queue pair and doorbell can be expanded at any time, twice, and in any order.
 */
import { hash32Begun, hash32Of } from '../../../uvm/random/hash.ts';
import { TWO_32 } from '../../../uvm/bytes/words.ts';

/** Products of 16 bits and a number below this are exact in 31 bits. */
const SMALL = 1 << 15;

export class CounterDraws {
  /** Hash of key and place. */
  #begun = 0;
  #counter = 0;

  /** Starts the draws of one place (any two integers) from the beginning. */
  seek(key: number, place: number): void {
    this.#begun = hash32Begun(key, place);
    this.#counter = 0;
  }

  /** 32 bits, unsigned. */
  uint32(): number {
    return hash32Of(this.#begun, this.#counter++) >>> 0;
  }

  /** 0 .. n-1; for n far below 2^32 as good as uniform. */
  below(n: number): number {
    if (!(n > 0 && n < SMALL)) return Math.floor((this.uint32() / TWO_32) * n);
    // The same, draw * n / 2^32 rounded down, in integers: by halves of the draw.
    const draw = hash32Of(this.#begun, this.#counter++);
    const lower = Math.imul(draw & 0xffff, n) >>> 16;
    return (Math.imul(draw >>> 16, n) + lower) >>> 16;
  }

  /** lo .. hi, both included. */
  range(lo: number, hi: number): number {
    return lo + this.below(hi - lo + 1);
  }

  /** True in `percent` of 100 cases. */
  percent(percent: number): boolean {
    return this.uint32() < (percent / 100) * TWO_32;
  }
}
