/**
 * What memory must still hold at the end of the test: for every byte range of a page that was found right, where its
 * bytes came from. Ranges filled from never-written memory name the source page and position; others are kept as a
 * 128-bit hash; ranges whose content nobody can predict as forgotten. Later legal writes replace earlier records.
 *
 * The records of a page lie in the order in which they were made, so that entering one is writing it behind the
 * others: a later record counts where it overlaps an earlier one. When the block of a page is full, records that
 * later ones cover are dropped, and the block grows unless that has freed most of it.
 *
 * Buffers are used again and again, mostly in the same order. So when the records of a page are found to lie apart,
 * their order does not matter any more, and as long as each range entered is that of the next record, it replaces it.
 */

import { SGE_WORDS } from '../model/messages.ts';
import { widened } from '../../uvm/bytes/widened.ts';
import { Slab } from '../model/slab.ts';
import type { DataPages } from './dataPages.ts';
import { NO_PAGE, P_BLOCK, P_NOTE, P_ROOM, P_USED } from './dataPages.ts';
import { PageCover, SOME_FREE, SOME_TAKEN } from './pageCover.ts';
import { PAGE_BYTES } from './scoreboardMemory.ts';
import {
  fromOf,
  HASHED,
  isCarriedOn,
  KIND_MASK,
  LAST_SHIFT,
  LOWER_SHIFT,
  POSITION_MASK,
  RANGE_MASK,
  RULE_FORGOTTEN,
  RULE_HASHED,
  RULE_MASK,
  RULE_SHIFT,
  sourceOf,
  toOf,
  UPPER_SHIFT,
  withLast,
  WORDS,
  WORDS_LOG2,
} from './verifiedRecord.ts';

/** Records that the first block of a page has room for. */
const INITIAL_ROOM = 4;
/**
 * Note of a page whose records lie apart, none of them hashed: the complement of the index of the one that is expected
 * to be replaced next. Other notes are the number of hashed records.
 */
const FIRST_NEXT = ~0;

/** Makes the hash of a remaining piece when a later write cuts a hashed range, and drops hashes no longer needed. */
export interface HashKeeper {
  rehash(page: number, from: number, to: number): number;
  dropHash(hash: number): void;
}

export class VerifiedMap {
  readonly #pages: DataPages;
  readonly #keeper: HashKeeper;
  readonly #slab = new Slab();
  readonly #cover = new PageCover();
  /** Results of `#cut`, and of `load` from them. */
  #parts = new Int32Array(64 * WORDS);
  #loaded = new Int32Array(0);

  constructor(pages: DataPages, keeper: HashKeeper) {
    this.#pages = pages;
    this.#keeper = keeper;
  }

  /** Says that [from, to) of a page holds what `source` held before its first write, from `position` on. */
  insert(page: number, from: number, to: number, source: number, position: number): void {
    this.#append(page, from, to, (source >>> UPPER_SHIFT) << RULE_SHIFT, (source << LOWER_SHIFT) | position);
  }

  /**
   * As `insert` for several ranges: those in [first, end) of `ranges`, first byte and last byte << 12, with what the
   * entries of a scatter/gather list that begin at `at` of `sges` say of where in the source page they came from.
   */
  insertPairs(
    page: number,
    ranges: Int32Array,
    first: number,
    end: number,
    source: number,
    sges: Int32Array,
    at: number,
  ): void {
    const upper = (source >>> UPPER_SHIFT) << RULE_SHIFT;
    const lower = source << LOWER_SHIFT;
    const done = this.#replacePairs(page, ranges, first, end, upper, lower, sges, at);
    for (let i = done, e = at + (done - first) * SGE_WORDS; i < end; i++, e += SGE_WORDS) {
      const range = ranges[i] as number;
      this.#append(page, fromOf(range), toOf(range), upper, lower | ((sges[e + 1] as number) & POSITION_MASK));
    }
  }

  /** Says that the bytes of [from, to) of a page have a hash. */
  insertHash(page: number, from: number, to: number, hash: number): void {
    if ((this.#pages.words[page + P_NOTE] as number) > 0) this.#cutHashes(page, from, to);
    this.#pushHash(page, from, to, hash);
  }

  /** Says that [from, to) of a page was legally written with unknown content. */
  forget(page: number, from: number, to: number): void {
    this.#append(page, from, to, RULE_FORGOTTEN, from);
  }

  /** Source page, `FORGOTTEN` or `HASHED` of the byte at `position` of a page; `NO_PAGE` when nothing is said of it. */
  sourceAt(page: number, position: number): number {
    const w = this.#pages.words;
    const r = this.#slab.words;
    const block = w[page + P_BLOCK] as number;
    for (let at = block + (w[page + P_USED] as number) * WORDS - WORDS; at >= block; at -= WORDS) {
      if (position >= fromOf(r[at] as number) && position < toOf(r[at] as number)) return sourceOf(r, at);
    }
    return NO_PAGE;
  }

  /** Puts the records of a page in order of position for the methods below, and returns how many there are. */
  load(page: number): number {
    if (this.#pages.words[page + P_USED] === 0) return 0;
    const n = this.#cut(page);
    const parts = this.#parts;
    const order = new Int32Array(n);
    for (let i = 0; i < n; i++) order[i] = (fromOf(parts[i * WORDS] as number) << LAST_SHIFT) | i;
    order.sort();
    if (n * WORDS > this.#loaded.length) this.#loaded = widened(this.#loaded, n * WORDS);
    const out = this.#loaded;
    let count = 0;
    for (let i = 0; i < n; i++) {
      const at = ((order[i] as number) & POSITION_MASK) * WORDS;
      const head = parts[at] as number;
      const value = parts[at + 1] as number;
      const last = count * WORDS - WORDS;
      if (count > 0 && (head & KIND_MASK) !== RULE_HASHED && isCarriedOn(out, last, head, value)) {
        out[last] = withLast(out[last] as number, toOf(head) - 1);
      } else {
        out[count * WORDS] = head;
        out[count * WORDS + 1] = value;
        count++;
      }
    }
    return count;
  }

  /** First byte in the page of a record of `load`. */
  from(record: number): number {
    return fromOf(this.#loaded[record * WORDS] as number);
  }

  /** End in the page. */
  to(record: number): number {
    return toOf(this.#loaded[record * WORDS] as number);
  }

  /** Source page, `FORGOTTEN` or `HASHED`. */
  source(record: number): number {
    return sourceOf(this.#loaded, record * WORDS);
  }

  /** Position of the record's first byte in its source page, or the hash. */
  value(record: number): number {
    const value = this.#loaded[record * WORDS + 1] as number;
    return this.source(record) === HASHED ? value : value & POSITION_MASK;
  }

  /** Of `insertPairs`, the ranges that take the places of the records of the last time; returns the first of the others. */
  #replacePairs(
    page: number,
    ranges: Int32Array,
    first: number,
    end: number,
    upper: number,
    lower: number,
    sges: Int32Array,
    at: number,
  ): number {
    const w = this.#pages.words;
    const r = this.#slab.words;
    const block = w[page + P_BLOCK] as number;
    const used = w[page + P_USED] as number;
    const note = w[page + P_NOTE] as number;
    if (note >= 0) return first;
    let next = ~note;
    let i = first;
    for (let e = at; i < end; i++, e += SGE_WORDS) {
      const record = block + (next << WORDS_LOG2);
      const head = (ranges[i] as number) | upper;
      if ((((r[record] as number) ^ head) & RANGE_MASK) !== 0) break;
      r[record] = head;
      r[record + 1] = lower | ((sges[e + 1] as number) & POSITION_MASK);
      next = next < used - 1 ? next + 1 : 0;
    }
    w[page + P_NOTE] = ~next;
    return i;
  }

  /** Enters a seeded or forgotten range: in place of the record of the last time, or with the one that it carries on. */
  #append(page: number, from: number, to: number, rule: number, value: number): void {
    const w = this.#pages.words;
    const r = this.#slab.words;
    const block = w[page + P_BLOCK] as number;
    const head = from | ((to - 1) << LAST_SHIFT) | rule;
    const note = w[page + P_NOTE] as number;
    if (note < 0) {
      const at = block + (~note << WORDS_LOG2);
      if ((((r[at] as number) ^ head) & RANGE_MASK) === 0) {
        r[at] = head;
        r[at + 1] = value;
        w[page + P_NOTE] = (w[page + P_USED] as number) + note === 0 ? FIRST_NEXT : note - 1;
        return;
      }
      w[page + P_NOTE] = 0;
    }
    if (note > 0) this.#cutHashes(page, from, to);
    this.#addRecord(page, head, value);
  }

  #addRecord(page: number, head: number, value: number): void {
    const w = this.#pages.words;
    const r = this.#slab.words;
    const used = w[page + P_USED] as number;
    const last = (w[page + P_BLOCK] as number) + used * WORDS - WORDS;
    if (used > 0 && isCarriedOn(r, last, head, value)) r[last] = withLast(r[last] as number, toOf(head) - 1);
    else if (used < (w[page + P_ROOM] as number)) this.#push(page, head, value);
    else {
      this.#makeRoom(page);
      this.#append(page, fromOf(head), toOf(head), head & RULE_MASK, value);
    }
  }

  /** Writes a record behind the others of its page, where there is room. */
  #push(page: number, head: number, value: number): void {
    const w = this.#pages.words;
    const r = this.#slab.words;
    const used = w[page + P_USED] as number;
    const at = (w[page + P_BLOCK] as number) + used * WORDS;
    r[at] = head;
    r[at + 1] = value;
    w[page + P_USED] = used + 1;
  }

  #pushHash(page: number, from: number, to: number, hash: number): void {
    const w = this.#pages.words;
    if (w[page + P_USED] === w[page + P_ROOM]) this.#makeRoom(page);
    this.#push(page, from | ((to - 1) << LAST_SHIFT) | RULE_HASHED, hash);
    w[page + P_NOTE] = Math.max(0, w[page + P_NOTE] as number) + 1;
  }

  #makeRoom(page: number): void {
    const w = this.#pages.words;
    const room = w[page + P_ROOM] as number;
    if (room === 0) {
      w[page + P_BLOCK] = this.#slab.alloc(log2(INITIAL_ROOM * WORDS));
      w[page + P_ROOM] = INITIAL_ROOM;
    } else if (4 * this.#compact(page) > room) {
      w[page + P_BLOCK] = this.#slab.enlarge(w[page + P_BLOCK] as number, log2(room * WORDS));
      w[page + P_ROOM] = 2 * room;
    }
  }

  /** Drops records of a page that later ones cover, all but a few of them, and returns how many are left. */
  #compact(page: number): number {
    const w = this.#pages.words;
    const r = this.#slab.words;
    const cover = this.#cover;
    const block = w[page + P_BLOCK] as number;
    const end = block + (w[page + P_USED] as number) * WORDS;
    let kept = end;
    // What the latest record and those that touch it have covered: mostly all there is, often soon the whole page.
    let low = fromOf(r[end - WORDS] as number);
    let high = low;
    let apart = true;
    let scattered = false;
    cover.clear();
    for (let at = end - WORDS; at >= block && high - low < PAGE_BYTES; at -= WORDS) {
      const head = r[at] as number;
      const from = fromOf(head);
      const to = toOf(head);
      if (from >= low && to <= high) continue;
      if (from <= high && to >= low) {
        if ((from !== high && to !== low) || (scattered && cover.nextTaken(from, to) < to)) apart = false;
        if (from < low) low = from;
        if (to > high) high = to;
      } else {
        const before = cover.take(from, to);
        if ((before & SOME_FREE) === 0) continue;
        if ((before & SOME_TAKEN) !== 0) apart = false;
        scattered = true;
      }
      kept -= WORDS;
      r[kept] = head;
      r[kept + 1] = r[at + 1] as number;
    }
    if (kept > block) r.copyWithin(block, kept, end);
    const used = (end - kept) / WORDS;
    w[page + P_USED] = used;
    if (apart && w[page + P_NOTE] === 0) w[page + P_NOTE] = FIRST_NEXT;
    return used;
  }

  /** Puts what counts of the records of a page in `#parts`, the latest first, and returns the number of parts. */
  #cut(page: number): number {
    const w = this.#pages.words;
    const r = this.#slab.words;
    const cover = this.#cover;
    const block = w[page + P_BLOCK] as number;
    let count = 0;
    cover.clear();
    for (let at = block + (w[page + P_USED] as number) * WORDS - WORDS; at >= block; at -= WORDS) {
      const head = r[at] as number;
      const end = toOf(head);
      for (let from = cover.nextFree(fromOf(head), end); from < end; ) {
        const to = cover.nextTaken(from, end);
        this.#addPart(count++, head, r[at + 1] as number, from, to);
        from = cover.nextFree(to, end);
      }
      cover.take(fromOf(head), end);
    }
    return count;
  }

  /** Notes the part [from, to) of a record. Hashed ones are whole: `#cutHashes` has seen to that. */
  #addPart(i: number, head: number, value: number, from: number, to: number): void {
    if ((i + 1) * WORDS > this.#parts.length) this.#parts = widened(this.#parts, (i + 1) * WORDS);
    this.#parts[i * WORDS] = (head & RULE_MASK) | from | ((to - 1) << LAST_SHIFT);
    this.#parts[i * WORDS + 1] = (head & KIND_MASK) === RULE_HASHED ? value : value + from - fromOf(head);
  }

  /**
   * Replaces the hashes of what [from, to) leaves of hashed ranges, at once: later their bytes may have changed. So a
   * hashed record is never covered in part, and may lie anywhere behind those that it covers.
   */
  #cutHashes(page: number, from: number, to: number): void {
    const w = this.#pages.words;
    for (let i = 0; i < (w[page + P_USED] as number); i++) {
      const r = this.#slab.words;
      const at = (w[page + P_BLOCK] as number) + i * WORDS;
      const head = r[at] as number;
      if ((head & KIND_MASK) !== RULE_HASHED || fromOf(head) >= to || toOf(head) <= from) continue;
      this.#removeHash(page, at);
      if (fromOf(head) < from) this.#pushRest(page, fromOf(head), from);
      if (toOf(head) > to) this.#pushRest(page, to, toOf(head));
      i = -1;
    }
  }

  #removeHash(page: number, at: number): void {
    const w = this.#pages.words;
    const r = this.#slab.words;
    this.#keeper.dropHash(r[at + 1] as number);
    const used = (w[page + P_USED] as number) - 1;
    r.copyWithin(at, at + WORDS, (w[page + P_BLOCK] as number) + (used + 1) * WORDS);
    w[page + P_USED] = used;
    w[page + P_NOTE] = (w[page + P_NOTE] as number) - 1;
  }

  #pushRest(page: number, from: number, to: number): void {
    this.#pushHash(page, from, to, this.#keeper.rehash(page, from, to));
  }
}

function log2(words: number): number {
  return 31 - Math.clz32(words);
}
