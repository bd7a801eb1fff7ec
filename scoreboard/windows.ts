/**
 * Numbers for the 1 GiB windows of virtual address space in use, so that everything known about an address range is
 * found by (window, position) with both small integers. A window is (host, process, upper address half, bits 31:30
 * of the lower half).
 */

import { widened } from '../uvm/bytes/widened.ts';

const STRIDE = 4;

/** Number of a page within its window. */
export const WINDOW_PAGE_MASK = (1 << 18) - 1;
const PART_SHIFT = 18;

export class Windows {
  #words = new Int32Array(64 * STRIDE);
  #count = 0;
  /** Open-addressing hash of window number + 1. */
  #slots = new Int32Array(256);
  /** The window found last, and the one before it: the two ends of a message take turns. */
  #last = -1;
  #older = -1;

  /** Windows opened so far. */
  get count(): number {
    return this.#count;
  }

  /** Number of the window that holds page `page` (address bits 31:12) of `hi`, or -1. */
  find(host: number, process: number, hi: number, page: number): number {
    const part = page >>> PART_SHIFT;
    if (this.#last >= 0 && this.#is(this.#last, host, process, hi, part)) return this.#last;
    const older = this.#older;
    if (older >= 0 && this.#is(older, host, process, hi, part)) {
      this.#older = this.#last;
      this.#last = older;
      return older;
    }
    const mask = this.#slots.length - 1;
    for (let s = hash(host, process, hi, part) & mask; ; s = (s + 1) & mask) {
      const w = (this.#slots[s] as number) - 1;
      if (w < 0) return -1;
      if (this.#is(w, host, process, hi, part)) {
        this.#older = this.#last;
        this.#last = w;
        return w;
      }
    }
  }

  /** As `find`, opening the window if it is new. */
  open(host: number, process: number, hi: number, page: number): number {
    const w = this.find(host, process, hi, page);
    return w >= 0 ? w : this.#create(host, process, hi, page >>> PART_SHIFT);
  }

  host(w: number): number {
    return this.#words[w * STRIDE] as number;
  }

  process(w: number): number {
    return this.#words[w * STRIDE + 1] as number;
  }

  hi(w: number): number {
    return this.#words[w * STRIDE + 2] as number;
  }

  /** Number of the window's first page within the 4 GiB of its upper half. */
  firstPage(w: number): number {
    return (this.#words[w * STRIDE + 3] as number) << PART_SHIFT;
  }

  #is(w: number, host: number, process: number, hi: number, part: number): boolean {
    const words = this.#words;
    const i = w * STRIDE;
    return words[i + 2] === hi && words[i + 3] === part && words[i + 1] === process && words[i] === host;
  }

  #create(host: number, process: number, hi: number, part: number): number {
    const w = this.#count++;
    if (this.#count * STRIDE > this.#words.length) {
      this.#words = widened(this.#words, this.#count * STRIDE);
    }
    this.#words.set([host, process, hi, part], w * STRIDE);
    if (this.#count * 2 > this.#slots.length) this.#rehash();
    else this.#place(w);
    this.#older = this.#last;
    this.#last = w;
    return w;
  }

  #rehash(): void {
    this.#slots = new Int32Array(this.#slots.length * 2);
    for (let w = 0; w < this.#count; w++) this.#place(w);
  }

  #place(w: number): void {
    const mask = this.#slots.length - 1;
    const words = this.#words;
    const i = w * STRIDE;
    const h = hash(words[i] as number, words[i + 1] as number, words[i + 2] as number, words[i + 3] as number);
    let s = h & mask;
    while (this.#slots[s] !== 0) s = (s + 1) & mask;
    this.#slots[s] = w + 1;
  }
}

function hash(host: number, process: number, hi: number, part: number): number {
  let h = Math.imul(hi ^ (part << 29) ^ Math.imul(host + 1, 0x9e3779b1), 0x85ebca6b) ^ Math.imul(process, 0xc2b2ae35);
  h ^= h >>> 15;
  return Math.imul(h, 0x27d4eb2f) >>> 7;
}
