/**
 * Ranges of data pages that outstanding requests allow the NIC to write: a bag of them for each page, since requests
 * may share bytes. A page's ranges form a ring in the order in which they were opened. Most are written and closed in
 * that order too, so that opening, the check of a write, and closing look at one or two records of a page, however
 * many ranges are open elsewhere. Positions are those in the page, 0 .. 4096.
 */

import { PAGE_STRIDE_LOG2 } from './dataPages.ts';
import { widened } from '../uvm/bytes/widened.ts';

// Record of a range: first byte and end << 12; next record of the ring or next free one. Record 0 is never used.
const RECORD = 2;
const NEXT = 1;
const END_SHIFT = 12;
const FROM_MASK = (1 << END_SHIFT) - 1;
const NONE = 0;
// Of each page, its newest record and the one that was written last: the next write is expected in the one after it.
const LIST_LOG2 = 1;
const WRITTEN = 1;
/** From the offset of a page in `DataPages` to that of its list. */
const LIST_SHIFT = PAGE_STRIDE_LOG2 - LIST_LOG2;

/** Pages are named as in `DataPages`; `NO_PAGE` has no ranges. */
export class OpenRanges {
  #records = new Int32Array(RECORD);
  #free = NONE;
  /** By page. */
  #lists = new Int32Array(1 << 10);

  /** Opens [from, to) of a page, which is not empty, once more. */
  add(page: number, from: number, to: number): void {
    const list = page >> LIST_SHIFT;
    if (list >= this.#lists.length) this.#lists = widened(this.#lists, list + (1 << LIST_LOG2));
    if (this.#free === NONE) this.#growRecords();
    const records = this.#records;
    const lists = this.#lists;
    const a = this.#free;
    this.#free = records[a + NEXT] as number;
    records[a] = from | (to << END_SHIFT);
    const newest = lists[list] as number;
    lists[list] = a;
    if (newest === NONE) {
      records[a + NEXT] = a;
      lists[list + WRITTEN] = a;
      return;
    }
    records[a + NEXT] = records[newest + NEXT] as number;
    records[newest + NEXT] = a;
  }

  /** Takes one opening back from each byte of [from, to), all of which must be open. */
  remove(page: number, from: number, to: number): void {
    const list = page >> LIST_SHIFT;
    const records = this.#records;
    const range = from | (to << END_SHIFT);
    const newest = this.#newest(list);
    if (newest === NONE) return;
    let before = newest;
    do {
      const a = records[before + NEXT] as number;
      if (records[a] === range) {
        this.#unlink(list, before, a);
        return;
      }
      before = a;
    } while (before !== newest);
    this.#removePieces(page, from, to);
  }

  /** True when every byte of [from, to) of a page is open, be it by one range or by several. */
  covers(page: number, from: number, to: number): boolean {
    const list = page >> LIST_SHIFT;
    const lists = this.#lists;
    const records = this.#records;
    if (list >= lists.length) return false;
    const written = lists[list + WRITTEN] as number;
    if (written === NONE) return false;
    let a = written;
    do {
      a = records[a + NEXT] as number;
      const range = records[a] as number;
      if ((range & FROM_MASK) <= from && range >> END_SHIFT >= to) {
        lists[list + WRITTEN] = a;
        return true;
      }
    } while (a !== written);
    return this.#openUntil(list, from, to) >= to;
  }

  /** True when some byte of [from, to) of a page is open. */
  touches(page: number, from: number, to: number): boolean {
    return this.boundary(page, from, to) < to || this.covers(page, from, from + 1);
  }

  /**
   * First position of [from, to) where the open bytes of a page end or begin, or `to`: the piece [from, result) is
   * wholly open or wholly closed.
   */
  boundary(page: number, from: number, to: number): number {
    const list = page >> LIST_SHIFT;
    const end = this.#openUntil(list, from, to);
    if (end > from) return Math.min(end, to);
    let nearest = to;
    const newest = this.#newest(list);
    if (newest === NONE) return nearest;
    let a = newest;
    do {
      const start = (this.#records[a] as number) & FROM_MASK;
      if (start > from && start < nearest) nearest = start;
      a = this.#records[a + NEXT] as number;
    } while (a !== newest);
    return nearest;
  }

  /** Ranges open in a page; for specs. */
  count(page: number): number {
    const newest = this.#newest(page >> LIST_SHIFT);
    let n = 0;
    for (let a = newest; a !== NONE; n++) {
      a = this.#records[a + NEXT] as number;
      if (a === newest) a = NONE;
    }
    return n;
  }

  #newest(list: number): number {
    return list < this.#lists.length ? (this.#lists[list] as number) : NONE;
  }

  /** End of the open bytes that start at `from`, or `from`. Need not look beyond `to`. */
  #openUntil(list: number, from: number, to: number): number {
    let end = from;
    for (let reach = this.#reach(list, end); reach > end; reach = this.#reach(list, end)) {
      end = reach;
      if (end >= to) break;
    }
    return end;
  }

  /** Furthest end of a range that holds the byte at `position`, or -1. */
  #reach(list: number, position: number): number {
    let reach = -1;
    const newest = this.#newest(list);
    if (newest === NONE) return reach;
    let a = newest;
    do {
      const range = this.#records[a] as number;
      if ((range & FROM_MASK) <= position && range >> END_SHIFT > position) reach = Math.max(reach, range >> END_SHIFT);
      a = this.#records[a + NEXT] as number;
    } while (a !== newest);
    return reach;
  }

  /** Removes a range that was not added in one piece: cuts it out of ranges that hold it. */
  #removePieces(page: number, from: number, to: number): void {
    for (let pos = from; pos < to; ) {
      const range = this.#holder(page >> LIST_SHIFT, pos);
      if (range === NONE) return;
      const start = range & FROM_MASK;
      const end = range >> END_SHIFT;
      this.remove(page, start, end);
      if (start < pos) this.add(page, start, pos);
      if (to < end) this.add(page, to, end);
      pos = end;
    }
  }

  /** A range that holds the byte at `position`, `NONE` when it is closed. */
  #holder(list: number, position: number): number {
    const newest = this.#newest(list);
    let a = newest;
    while (a !== NONE) {
      const range = this.#records[a] as number;
      if ((range & FROM_MASK) <= position && range >> END_SHIFT > position) return range;
      a = this.#records[a + NEXT] as number;
      if (a === newest) break;
    }
    return NONE;
  }

  /** Takes record `a`, which follows `before`, out of a page's ring. */
  #unlink(list: number, before: number, a: number): void {
    const records = this.#records;
    const lists = this.#lists;
    if (before === a) {
      lists[list] = NONE;
      lists[list + WRITTEN] = NONE;
    } else {
      records[before + NEXT] = records[a + NEXT] as number;
      if (lists[list] === a) lists[list] = before;
      if (lists[list + WRITTEN] === a) lists[list + WRITTEN] = before;
    }
    records[a + NEXT] = this.#free;
    this.#free = a;
  }

  #growRecords(): void {
    const old = this.#records.length;
    this.#records = widened(this.#records, Math.max(2 * old, 1 << 10));
    for (let a = this.#records.length - RECORD; a >= old; a -= RECORD) {
      this.#records[a + NEXT] = this.#free;
      this.#free = a;
    }
  }
}
