/**
 * Numbers for the 1 GiB windows of virtual address space in use, so that everything known about an address range is
 * found by (window, position) with both small integers. A window is (host, process, upper address half, bits 31:30
 * of the lower half).
 */

import { widened } from '../uvm/bytes/widened.ts';

// Of a window: upper address half; process << 9, host << 2, and bits 31:30 of the lower half.
const STRIDE = 2;
const PROCESS_SHIFT = 9;
const HOST_SHIFT = 2;
const HOST_FIELD = 0x7f;
const PART_FIELD = 3;

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
    const space = spaceOf(host, process, page);
    if (this.#last >= 0 && this.#is(this.#last, hi, space)) return this.#last;
    const older = this.#older;
    if (older >= 0 && this.#is(older, hi, space)) {
      this.#older = this.#last;
      this.#last = older;
      return older;
    }
    const mask = this.#slots.length - 1;
    for (let s = hash(hi, space) & mask; ; s = (s + 1) & mask) {
      const w = (this.#slots[s] as number) - 1;
      if (w < 0) return -1;
      if (this.#is(w, hi, space)) {
        this.#older = this.#last;
        this.#last = w;
        return w;
      }
    }
  }

  /** As `find`, opening the window if it is new. */
  open(host: number, process: number, hi: number, page: number): number {
    const w = this.find(host, process, hi, page);
    return w >= 0 ? w : this.#create(hi, spaceOf(host, process, page));
  }

  host(w: number): number {
    return ((this.#words[w * STRIDE + 1] as number) >> HOST_SHIFT) & HOST_FIELD;
  }

  process(w: number): number {
    return (this.#words[w * STRIDE + 1] as number) >>> PROCESS_SHIFT;
  }

  hi(w: number): number {
    return this.#words[w * STRIDE] as number;
  }

  /** Number of the window's first page within the 4 GiB of its upper half. */
  firstPage(w: number): number {
    return ((this.#words[w * STRIDE + 1] as number) & PART_FIELD) << PART_SHIFT;
  }

  #is(w: number, hi: number, space: number): boolean {
    const words = this.#words;
    return words[w * STRIDE] === hi && words[w * STRIDE + 1] === space;
  }

  #create(hi: number, space: number): number {
    const w = this.#count++;
    if (this.#count * STRIDE > this.#words.length) {
      this.#words = widened(this.#words, this.#count * STRIDE);
    }
    this.#words[w * STRIDE] = hi;
    this.#words[w * STRIDE + 1] = space;
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
    let s = hash(this.#words[w * STRIDE] as number, this.#words[w * STRIDE + 1] as number) & mask;
    while (this.#slots[s] !== 0) s = (s + 1) & mask;
    this.#slots[s] = w + 1;
  }
}

/** What tells windows of one upper half apart, in one word: hosts 0 .. 127, processes 0 .. 2^22 - 1. */
function spaceOf(host: number, process: number, page: number): number {
  return (process << PROCESS_SHIFT) | (host << HOST_SHIFT) | (page >>> PART_SHIFT);
}

function hash(hi: number, space: number): number {
  let h = Math.imul(hi ^ Math.imul(space, 0x9e3779b1), 0x85ebca6b);
  h ^= h >>> 15;
  return Math.imul(h, 0x27d4eb2f) >>> 7;
}
