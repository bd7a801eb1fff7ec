/**
 * A walk over one side of a message: a scatter/gather list, a plain range, or a snapshot of inline data. Adjacent
 * entries are taken together, so that six entries in a row are one run.
 */

import { NONE } from '../model/work.ts';
import { SGE_WORDS } from '../model/messages.ts';
import type { DataPages } from './dataPages.ts';
import { CHUNK_LOG2, NO_PAGE, NOT_STORED, P_PLACE } from './dataPages.ts';
import { NO_RANGE } from './ranges/openRanges.ts';
import { PAGE_MASK, PAGE_SHIFT, TOP_PAGE } from './scoreboardMemory.ts';

/** Instead of a page: the bytes are a copy in the store. */
const SNAPSHOT = -1;

export class BufferCursor {
  host: number = NONE;
  process = 0;
  /** Current address: upper half, page of the lower half, offset in the page. */
  hi = 0;
  page = 0;
  offset = 0;
  /** Bytes left in the current run; 0 = load the next. */
  left = 0;
  /** The current page in `DataPages`, valid after `locate`. Kept from one message to the next. */
  entry: number = NO_PAGE;
  /** Byte-store offset of the current page, or of the snapshot, as a signed integer; `NOT_STORED`. After `locate`. */
  place: number = NOT_STORED;
  /** False when `locate` must be called before `entry` and `place` may be read. */
  located = false;
  /** The list: its words, the next entry to load, and the end of the last one. Not set for a plain range. */
  words: Int32Array = new Int32Array(0);
  at = 0;
  end = 0;
  /** The first range of the list that the NIC may write, in `OpenRanges`; of a list that is not open, `NO_RANGE`. */
  range: number = NO_RANGE;

  /** A page of the same group as the current one, whose entry lies beside that; `NO_PAGE` = none is known. */
  #near: number = NO_PAGE;

  /** True when the bytes are a copy in the store. */
  get isSnapshot(): boolean {
    return this.entry === SNAPSHOT;
  }

  /** Starts at the first of `count` entries at `first` of `words`. */
  startList(host: number, process: number, words: Int32Array, first: number, count: number): void {
    this.#start(host, process);
    this.left = 0;
    if (this.words !== words) this.words = words;
    this.at = first;
    this.end = first + count * SGE_WORDS;
  }

  /** Starts at a plain range. */
  startRange(host: number, process: number, hi: number, lo: number, length: number): void {
    this.#start(host, process);
    this.at = 0;
    this.end = 0;
    this.#seek(hi, lo);
    this.left = length;
  }

  /** Names the page where the range begins that was started last: it need not be found. */
  beginsIn(entry: number): void {
    if (this.entry !== NO_PAGE) return;
    this.entry = entry;
    this.#near = entry;
  }

  /** Starts at a copy in the byte store. */
  startSnapshot(store: number, length: number): void {
    this.startRange(NONE, 0, 0, 0, length);
    this.entry = SNAPSHOT;
    this.place = store;
    this.located = true;
  }

  /** Loads the next run if the current one is used up. False at the end of the list. */
  load(): boolean {
    if (this.left > 0) return true;
    const w = this.words;
    let at = this.at;
    const end = this.end;
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
    this.at = at;
    this.#seek(hi, lo);
    this.left = left;
    return true;
  }

  /** Finds the current page and whether it is stored by now. */
  locate(pages: DataPages): void {
    if (this.entry === NO_PAGE) this.#find(pages);
    const place = pages.words[this.entry + P_PLACE] as number;
    this.place = place === NOT_STORED ? pages.place(this.entry) | 0 : place;
    this.located = true;
  }

  /** Moves on by `n` bytes, at most to the end of the current run and page. */
  advance(n: number): void {
    this.left -= n;
    const offset = this.offset + n;
    this.offset = offset & PAGE_MASK;
    if (offset > PAGE_MASK) this.#nextPage();
  }

  /** Moves on by `n` bytes over runs and pages. False when the list ends before. */
  skip(n: number): boolean {
    let rest = n;
    while (rest > 0) {
      if (!this.load()) return false;
      const step = Math.min(rest, this.left);
      this.#jump(step);
      rest -= step;
    }
    return true;
  }

  /** Moves on by `n` bytes within the current run. */
  #jump(n: number): void {
    this.left -= n;
    const to = this.offset + n;
    const pages = Math.floor(to / (PAGE_MASK + 1));
    this.offset = to & PAGE_MASK;
    if (pages === 0) return;
    if (this.isSnapshot) this.place += pages * (PAGE_MASK + 1);
    else if (this.page + pages <= TOP_PAGE) this.#turn(this.hi, this.page + pages);
    else this.#turn((this.hi + 1) | 0, this.page + pages - TOP_PAGE - 1);
  }

  /** Messages of one queue pair often follow each other in a page: it need not be found again. */
  #start(host: number, process: number): void {
    this.located = false;
    this.range = NO_RANGE;
    if (host === this.host && process === this.process) return;
    this.host = host;
    this.process = process;
    this.entry = NO_PAGE;
    this.#near = NO_PAGE;
  }

  #find(pages: DataPages): void {
    if (this.#near !== NO_PAGE) this.entry = pages.beside(this.#near, this.page);
    if (this.entry === NO_PAGE) this.entry = pages.at(this.host, this.process, this.hi, this.page);
    this.#near = this.entry;
  }

  #seek(hi: number, lo: number): void {
    const page = lo >>> PAGE_SHIFT;
    this.offset = lo & PAGE_MASK;
    if (page !== this.page || hi !== this.hi) this.#turn(hi, page);
  }

  #nextPage(): void {
    if (this.isSnapshot) this.place += PAGE_MASK + 1;
    else if (this.page < TOP_PAGE) this.#turn(this.hi, this.page + 1);
    else this.#turn((this.hi + 1) | 0, 0);
  }

  #turn(hi: number, page: number): void {
    if (hi !== this.hi || (page ^ this.page) >> CHUNK_LOG2 !== 0) this.#near = NO_PAGE;
    this.hi = hi;
    this.page = page;
    this.entry = NO_PAGE;
    this.located = false;
  }
}
