/**
 * A walk over one side of a message: a scatter/gather list, a plain range, or a snapshot of inline data. Adjacent
 * entries are taken together, so that six entries in a row are one run.
 */

import { PAGE_MASK, PAGE_SHIFT, TOP_PAGE } from './scoreboardMemory.ts';
import { SGE_WORDS } from './requests.ts';
import { NONE } from './qps.ts';
import type { Windows } from './windows.ts';
import { WINDOW_PAGE_MASK } from './windows.ts';

export class SideCursor {
  host = 0;
  process = 0;
  /** Current address: upper half, page of the lower half, offset in the page. */
  hi = 0;
  page = 0;
  offset = 0;
  /** Bytes left in the current run; 0 = load the next. */
  left = 0;
  /** Byte-store offset of the current byte of a snapshot, or -1 for memory. */
  store: number = NONE;

  /** Number of the window of the current address; -1 = not looked up. */
  #window: number = NONE;
  #words: Int32Array = new Int32Array(0);
  #at = 0;
  #end = 0;

  /** Starts at the first of `count` entries at `first` of `words`. */
  startList(host: number, process: number, words: Int32Array, first: number, count: number): void {
    this.host = host;
    this.process = process;
    this.store = NONE;
    this.left = 0;
    this.#words = words;
    this.#at = first;
    this.#end = first + count * SGE_WORDS;
  }

  /** Starts at a plain range. */
  startRange(host: number, process: number, hi: number, lo: number, length: number): void {
    this.host = host;
    this.process = process;
    this.store = NONE;
    this.#at = 0;
    this.#end = 0;
    this.#seek(hi, lo);
    this.left = length;
  }

  /** Starts at a copy in the byte store. */
  startSnapshot(store: number, length: number): void {
    this.startRange(0, 0, 0, 0, length);
    this.store = store;
  }

  /** Loads the next run if the current one is used up. False at the end of the list. */
  load(): boolean {
    if (this.left > 0) return true;
    const w = this.#words;
    let at = this.#at;
    const end = this.#end;
    while (at < end && w[at + 2] === 0) at += SGE_WORDS;
    if (at >= end) return false;
    const hi = w[at] as number;
    const lo = w[at + 1] as number;
    let left = (w[at + 2] as number) >>> 0;
    let next = (lo + left) | 0;
    at += SGE_WORDS;
    while (at < end && w[at + 1] === next && w[at] === hi && next >>> 0 > lo >>> 0) {
      const more = (w[at + 2] as number) >>> 0;
      left += more;
      next = (next + more) | 0;
      at += SGE_WORDS;
    }
    this.#at = at;
    this.#seek(hi, lo);
    this.left = left;
    return true;
  }

  /** Number of the window of the current address, which is opened if it is new. */
  findWindow(windows: Windows): number {
    if (this.#window < 0) this.#window = windows.open(this.host, this.process, this.hi, this.page);
    return this.#window;
  }

  /** Moves on by `n` bytes, at most to the end of the current run and page. */
  advance(n: number): void {
    this.left -= n;
    if (this.store >= 0) {
      this.store += n;
      return;
    }
    const offset = this.offset + n;
    this.offset = offset & PAGE_MASK;
    if (offset > PAGE_MASK) this.#nextPage();
  }

  /** Moves on by `n` bytes over runs and pages. False when the list ends before. */
  skip(n: number): boolean {
    let rest = n;
    while (rest > 0) {
      if (!this.load()) return false;
      const step = Math.min(rest, this.left, PAGE_MASK + 1 - this.offset);
      this.advance(step);
      rest -= step;
    }
    return true;
  }

  #seek(hi: number, lo: number): void {
    this.hi = hi;
    this.page = lo >>> PAGE_SHIFT;
    this.#window = NONE;
    this.offset = lo & PAGE_MASK;
  }

  #nextPage(): void {
    if ((this.page & WINDOW_PAGE_MASK) === WINDOW_PAGE_MASK) this.#window = NONE;
    if (this.page < TOP_PAGE) {
      this.page++;
      return;
    }
    this.page = 0;
    this.hi = (this.hi + 1) | 0;
  }
}
