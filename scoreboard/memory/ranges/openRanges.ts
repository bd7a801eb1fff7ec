/**
 * Ranges of data pages that outstanding requests allow the NIC to write: a bag of them for each page, since requests
 * may share bytes. What a request opens in a page is one block of ranges, or several when it is much, and is closed by
 * the block. The blocks of a page form a ring in the order in which they were opened. Most are written and closed in
 * that order too, so that the check of a write looks at one range, and closing at one block, however many are open.
 * Positions are those in the page, 0 .. 4096.
 */

import { SGE_WORDS } from '../../model/messages.ts';
import { PAGE_STRIDE_LOG2 } from '../dataPages.ts';
import { PAGE_BYTES, PAGE_MASK, PAGE_SHIFT } from '../scoreboardMemory.ts';
import { widened } from '../../../uvm/bytes/widened.ts';

// Fields of a block: its page; next block of the page's ring, or next free one; next block of the same request; number
// of ranges. Then the ranges, first byte and last byte << 12, and behind the last of them the complement of the block.
const PAGE = 0;
const NEXT = 1;
const SIBLING = 2;
const COUNT = 3;
const FIRST = 4;
const BLOCK_LOG2 = 4;
const BLOCK = 1 << BLOCK_LOG2;
const CAPACITY = BLOCK - FIRST - 1;
const LAST_SHIFT = 12;
const FROM_MASK = (1 << LAST_SHIFT) - 1;
// Of each page, its newest block, and the range (or the end of a block) at which the next write is expected.
const LIST_LOG2 = 1;
const EXPECTED = 1;
/** From the offset of a page in `DataPages` to that of its list. */
const LIST_SHIFT = PAGE_STRIDE_LOG2 - LIST_LOG2;

/** No block. */
export const NO_BLOCK = 0;
/** No range. */
export const NO_RANGE = 0;

/** Pages are named as in `DataPages`; `NO_PAGE` has no ranges. */
export class OpenRanges {
  /** Blocks and ranges. Replaced when it grows. */
  words = new Int32Array(BLOCK);
  #free = NO_BLOCK;
  /** By page. */
  #lists = new Int32Array(1 << 10);

  /**
   * Opens [from, to) of a page, which is not empty, once more.
   * @param sibling block that the same request opened last, or `NO_BLOCK`
   * @returns a new block with this range
   */
  open(page: number, from: number, to: number, sibling: number): number {
    const block = this.#begin(page, sibling);
    const w = this.words;
    w[block + COUNT] = 1;
    w[block + FIRST] = rangeOf(from, to);
    w[block + FIRST + 1] = ~block;
    return block;
  }

  /**
   * Opens entries of a scatter/gather list that lie in one page: the one at `at`, which is known to, and those behind
   * it that do too, as many as fit in a block.
   * @param end of the list
   * @returns a new block with their ranges
   */
  openEntries(page: number, sges: Int32Array, at: number, end: number, sibling: number): number {
    const block = this.#begin(page, sibling);
    const w = this.words;
    const hi = sges[at] as number;
    const number = (sges[at + 1] as number) >>> PAGE_SHIFT;
    const full = block + FIRST + CAPACITY;
    let to = block + FIRST;
    for (let e = at; e < end && to < full; e += SGE_WORDS) {
      const lo = sges[e + 1] as number;
      const more = (sges[e + 2] as number) - 1;
      const from = lo & PAGE_MASK;
      if (lo >>> PAGE_SHIFT !== number || sges[e] !== hi || !fits(from, more)) break;
      w[to++] = from | ((from + more) << LAST_SHIFT);
    }
    w[to] = ~block;
    w[block + COUNT] = to - block - FIRST;
    return block;
  }

  /** Takes back what a block opened. @returns the block that the same request opened next, or `NO_BLOCK` */
  close(closed: number): number {
    const block = closed;
    const w = this.words;
    const lists = this.#lists;
    const list = (w[block + PAGE] as number) >> LIST_SHIFT;
    const next = w[block + NEXT] as number;
    let before = lists[list] as number;
    if (next === block) {
      lists[list] = NO_BLOCK;
      lists[list + EXPECTED] = NO_BLOCK;
    } else {
      while (w[before + NEXT] !== block) before = w[before + NEXT] as number;
      w[before + NEXT] = next;
      if (lists[list] === block) lists[list] = before;
      if ((lists[list + EXPECTED] as number) >> BLOCK_LOG2 === block >> BLOCK_LOG2)
        lists[list + EXPECTED] = next + FIRST;
    }
    w[block + NEXT] = this.#free;
    this.#free = block;
    return w[block + SIBLING] as number;
  }

  /** As `open`, of a range as of `firstRange`. */
  openRange(page: number, range: number): number {
    return this.open(page, range & FROM_MASK, lastOf(range) + 1, NO_BLOCK);
  }

  /** The block that the request that opened `block` opened next, or `NO_BLOCK`. */
  sibling(block: number): number {
    return this.words[block + SIBLING] as number;
  }

  /** The block that was opened last by the request that opened `block`. */
  last(block: number): number {
    const w = this.words;
    let last = block;
    while ((w[last + SIBLING] as number) !== NO_BLOCK) last = w[last + SIBLING] as number;
    return last;
  }

  /**
   * The range that a request opened first, by its first block: the word of `words` that has its first byte and its last
   * byte << 12. In the next word is the next range of the block; behind the last one, a negative number.
   */
  firstRange(block: number): number {
    return block === NO_BLOCK ? NO_RANGE : block + FIRST;
  }

  /** The range at `at`, or the first of the next block of its request when it is the end of a block, or `NO_RANGE`. */
  rangeAt(at: number): number {
    const range = this.words[at] as number;
    return range >= 0 ? at : this.firstRange(this.words[~range + SIBLING] as number);
  }

  /** The range behind the one at `at`, when that has `n` bytes, else `NO_RANGE`. */
  rangeBehind(at: number, n: number): number {
    const range = this.words[at] as number;
    return at !== NO_RANGE && lastOf(range) + 1 - (range & FROM_MASK) === n ? this.rangeAt(at + 1) : NO_RANGE;
  }

  /** Page of a range. */
  pageOf(range: number): number {
    return this.words[(range & -BLOCK) + PAGE] as number;
  }

  /** Page of a block. */
  page(block: number): number {
    return this.words[block + PAGE] as number;
  }

  /** Ranges in a block. */
  size(block: number): number {
    return this.words[block + COUNT] as number;
  }

  /** First byte of the i-th range of a block. */
  from(block: number, i: number): number {
    return (this.words[block + FIRST + i] as number) & FROM_MASK;
  }

  /** End of the i-th range of a block. */
  to(block: number, i: number): number {
    return lastOf(this.words[block + FIRST + i] as number) + 1;
  }

  /** True when every byte of [from, to) of a page is open, be it by one range or by several. */
  covers(page: number, from: number, to: number): boolean {
    const list = page >> LIST_SHIFT;
    const lists = this.#lists;
    const w = this.words;
    if (list >= lists.length) return false;
    let at = lists[list + EXPECTED] as number;
    if (at === NO_BLOCK) return false;
    let range = w[at] as number;
    if (range < 0) {
      at = (w[~range + NEXT] as number) + FIRST;
      range = w[at] as number;
    }
    const last = to - 1;
    if ((range & FROM_MASK) > from || range >> LAST_SHIFT < last) return this.#coversElsewhere(list, at, from, to);
    lists[list + EXPECTED] = range >> LAST_SHIFT === last ? at + 1 : at;
    return true;
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
    const first = this.#first(list);
    let at = first;
    while (at !== NO_BLOCK) {
      const start = (this.words[at] as number) & FROM_MASK;
      if (start > from && start < nearest) nearest = start;
      at = this.#after(at, first);
    }
    return nearest;
  }

  /** Ranges of a page that have a byte of [from, to). */
  depth(page: number, from: number, to: number): number {
    const first = this.#first(page >> LIST_SHIFT);
    let n = 0;
    for (let at = first; at !== NO_BLOCK; at = this.#after(at, first)) {
      const range = this.words[at] as number;
      if ((range & FROM_MASK) < to && lastOf(range) >= from) n++;
    }
    return n;
  }

  /** Ranges open in a page; for specs. */
  count(page: number): number {
    const first = this.#first(page >> LIST_SHIFT);
    let n = 0;
    for (let at = first; at !== NO_BLOCK; at = this.#after(at, first)) n++;
    return n;
  }

  /** As `covers`, of all ranges but the one at `expected`, which does not hold the bytes alone. */
  #coversElsewhere(list: number, expected: number, from: number, to: number): boolean {
    const w = this.words;
    for (let at = this.#after(expected, expected); at !== NO_BLOCK; at = this.#after(at, expected)) {
      const range = w[at] as number;
      if ((range & FROM_MASK) > from || lastOf(range) < to - 1) continue;
      this.#lists[list + EXPECTED] = lastOf(range) === to - 1 ? at + 1 : at;
      return true;
    }
    return this.#openUntil(list, from, to) >= to;
  }

  /** Some range of a page, `NO_BLOCK` when there is none. */
  #first(list: number): number {
    const newest = list < this.#lists.length ? (this.#lists[list] as number) : NO_BLOCK;
    return newest === NO_BLOCK ? NO_BLOCK : newest + FIRST;
  }

  /** The range behind the one at `at` in the ring; `NO_BLOCK` when that is the one at `first`, where a round began. */
  #after(at: number, first: number): number {
    const w = this.words;
    const range = w[at + 1] as number;
    const next = range >= 0 ? at + 1 : (w[~range + NEXT] as number) + FIRST;
    return next === first ? NO_BLOCK : next;
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
    const first = this.#first(list);
    for (let at = first; at !== NO_BLOCK; at = this.#after(at, first)) {
      const range = this.words[at] as number;
      if ((range & FROM_MASK) <= position && lastOf(range) >= position) reach = Math.max(reach, lastOf(range) + 1);
    }
    return reach;
  }

  /** A new block for a page, the newest of its ring, whose ranges are still to be written. */
  #begin(page: number, sibling: number): number {
    const list = page >> LIST_SHIFT;
    if (list >= this.#lists.length) this.#lists = widened(this.#lists, list + (1 << LIST_LOG2));
    if (this.#free === NO_BLOCK) this.#grow();
    const w = this.words;
    const lists = this.#lists;
    const block = this.#free;
    this.#free = w[block + NEXT] as number;
    const newest = lists[list] as number;
    lists[list] = block;
    if (newest === NO_BLOCK) {
      w[block + NEXT] = block;
      lists[list + EXPECTED] = block + FIRST;
    } else {
      w[block + NEXT] = w[newest + NEXT] as number;
      w[newest + NEXT] = block;
    }
    w[block + PAGE] = page;
    w[block + SIBLING] = NO_BLOCK;
    if (sibling !== NO_BLOCK) w[sibling + SIBLING] = block;
    return block;
  }

  #grow(): void {
    const old = this.words.length;
    this.words = widened(this.words, Math.max(2 * old, 1 << 10));
    for (let block = this.words.length - BLOCK; block >= old; block -= BLOCK) {
      this.words[block + NEXT] = this.#free;
      this.#free = block;
    }
  }
}

/** True when a range that begins at `from` of a page and goes `more` bytes beyond its first, 0 or more, ends there too. */
function fits(from: number, more: number): boolean {
  return more >>> 0 < PAGE_BYTES - from;
}

/** A range that holds bytes [from, to) of a page. */
export function rangeOf(from: number, to: number): number {
  return from | ((to - 1) << LAST_SHIFT);
}

/** First byte of a range as of `firstRange`. */
export function firstOf(range: number): number {
  return range & FROM_MASK;
}

export function lastOf(range: number): number {
  return range >> LAST_SHIFT;
}
