/** Runs of virtual pages that registered regions touch, by process and upper half of their addresses. */

import { widened } from '../../uvm/bytes/widened.ts';

// Words of a run: [first, end) by number of the page; the next run of its chain. Run 0 stands for none.
const PROCESS = 0;
const HI = 1;
const FIRST = 2;
const END = 3;
const NEXT = 4;
const STRIDE = 5;
const NONE = 0;

/** A run may be added several times. All in words: a run of the harness may have tens of thousands of regions. */
export class RegionPages {
  #words = new Int32Array(64 * STRIDE);
  #top = STRIDE;
  #free = NONE;
  #count = 0;
  /** First run of each chain; as many chains as runs, so that they stay short. */
  #heads = new Int32Array(64);

  add(process: number, hi: number, first: number, end: number): void {
    if (++this.#count > this.#heads.length) this.#spread();
    const r = this.#take();
    const w = this.#words;
    w[r + PROCESS] = process;
    w[r + HI] = hi;
    w[r + FIRST] = first;
    w[r + END] = end;
    this.#chain(r);
  }

  /** Takes a run out that was added with these numbers; one that was not is ignored. */
  remove(process: number, hi: number, first: number, end: number): void {
    const w = this.#words;
    const chain = this.#chainOf(process, hi);
    let before = NONE;
    for (let r = this.#heads[chain] as number; r !== NONE; before = r, r = w[r + NEXT] as number) {
      if (w[r + FIRST] !== first || w[r + END] !== end || w[r + HI] !== hi || w[r + PROCESS] !== process) continue;
      if (before === NONE) this.#heads[chain] = w[r + NEXT] as number;
      else w[before + NEXT] = w[r + NEXT] as number;
      w[r + NEXT] = this.#free;
      this.#free = r;
      this.#count--;
      return;
    }
  }

  /** Whether a page lies in a run. */
  holds(process: number, hi: number, page: number): boolean {
    const w = this.#words;
    for (let r = this.#heads[this.#chainOf(process, hi)] as number; r !== NONE; r = w[r + NEXT] as number) {
      if (w[r + HI] !== hi || w[r + PROCESS] !== process) continue;
      if (page >= (w[r + FIRST] as number) && page < (w[r + END] as number)) return true;
    }
    return false;
  }

  #take(): number {
    const free = this.#free;
    if (free !== NONE) {
      this.#free = this.#words[free + NEXT] as number;
      return free;
    }
    const top = this.#top;
    this.#top += STRIDE;
    if (this.#top > this.#words.length) this.#words = widened(this.#words, this.#top);
    return top;
  }

  #chain(r: number): void {
    const chain = this.#chainOf(this.#words[r + PROCESS] as number, this.#words[r + HI] as number);
    this.#words[r + NEXT] = this.#heads[chain] as number;
    this.#heads[chain] = r;
  }

  #chainOf(process: number, hi: number): number {
    const h = Math.imul(hi ^ (process << 16), 0x9e37_79b1);
    return (h ^ (h >>> 15)) & (this.#heads.length - 1);
  }

  /** Puts the runs into twice as many chains. */
  #spread(): void {
    const old = this.#heads;
    this.#heads = new Int32Array(2 * old.length);
    for (const head of old) {
      for (let r = head, next = NONE; r !== NONE; r = next) {
        next = this.#words[r + NEXT] as number;
        this.#chain(r);
      }
    }
  }
}
