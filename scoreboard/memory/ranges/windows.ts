/**
 * Numbers for the 1 GiB windows of virtual address space in use, so that what is known about each fits in an array. A
 * window is (host, process, upper address half, bits 31:30 of the lower half).
 */

import { widened } from '../../../uvm/bytes/widened.ts';

// Of a window: upper address half; process << 9, host << 2, and bits 31:30 of the lower half.
const STRIDE = 2;
const PROCESS_SHIFT = 9;
const HOST_SHIFT = 2;

/** Number of a page within its window. */
export const WINDOW_PAGE_MASK = (1 << 18) - 1;
const PART_SHIFT = 18;

export class Windows {
  #words = new Int32Array(64 * STRIDE);
  #count = 0;
  /** Open-addressing hash of window numbers. */
  #slots = new Int32Array(256);

  /** Number of the window, from 1, that holds page `page` (address bits 31:12) of `hi`; a new one when it has none. */
  open(host: number, process: number, hi: number, page: number): number {
    const space = spaceOf(host, process, page);
    const mask = this.#slots.length - 1;
    for (let s = hash(hi, space) & mask; ; s = (s + 1) & mask) {
      const w = this.#slots[s] as number;
      if (w === 0) return this.#create(hi, space);
      if (this.#words[w * STRIDE] === hi && this.#words[w * STRIDE + 1] === space) return w;
    }
  }

  #create(hi: number, space: number): number {
    const w = ++this.#count;
    if ((w + 1) * STRIDE > this.#words.length) this.#words = widened(this.#words, (w + 1) * STRIDE);
    this.#words[w * STRIDE] = hi;
    this.#words[w * STRIDE + 1] = space;
    if (this.#count * 2 > this.#slots.length) this.#rehash();
    else this.#place(w);
    return w;
  }

  #rehash(): void {
    this.#slots = new Int32Array(this.#slots.length * 2);
    for (let w = 1; w <= this.#count; w++) this.#place(w);
  }

  #place(w: number): void {
    const mask = this.#slots.length - 1;
    let s = hash(this.#words[w * STRIDE] as number, this.#words[w * STRIDE + 1] as number) & mask;
    while (this.#slots[s] !== 0) s = (s + 1) & mask;
    this.#slots[s] = w;
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
