/**
 * Draws for requests that are expanded on demand: the n-th draw is a hash of (key, place, n) and needs no state but
 * the counter, so that any queue pair and doorbell can be expanded at any time, twice, and in any order.
 */
import { hash32 } from '../../uvm/random/hash.ts';

const TWO_32 = 2 ** 32;

export class CounterDraws {
  #key = 0;
  #place = 0;
  #counter = 0;

  /** Starts the draws of one place (any two integers) from the beginning. */
  seek(key: number, place: number): void {
    this.#key = key;
    this.#place = place;
    this.#counter = 0;
  }

  /** 32 bits, unsigned. */
  uint32(): number {
    return hash32(this.#key, this.#place, this.#counter++);
  }

  /** 0 .. n-1; for n far below 2^32 as good as uniform. */
  below(n: number): number {
    return Math.floor((this.uint32() / TWO_32) * n);
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
