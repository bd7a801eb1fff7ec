/**
 * What memory must still hold at the end of the test: for every byte range that was found right, where its bytes came
 * from. Ranges filled from never-written memory are kept as an affine rule (source window and position), so that a
 * whole run of messages is one record; others as a 128-bit hash; ranges whose content nobody can predict as
 * `FORGOTTEN`. Later legal writes replace earlier records.
 */

import { BuddySlab } from './buddySlab.ts';

/** Instead of a source window: content unknown but legally written. */
export const FORGOTTEN = -1;
/** Instead of a source window: the value is the number of a hash. */
export const HASHED = -2;

/** Makes the hash of a remaining piece when a later write cuts a hashed range, and drops hashes no longer needed. */
export interface HashKeeper {
  rehash(set: number, from: number, to: number): number;
  dropHash(hash: number): void;
}

// Header of a set: block, size class, count. Record: from, to, source, value.
const STRIDE = 4;
const BLOCK = 0;
const LOG2 = 1;
const COUNT = 2;
const RECORD_SHIFT = 2;
const INITIAL_LOG2 = 3;

export class VerifiedMap {
  readonly #slab = new BuddySlab();
  readonly #keeper: HashKeeper;
  #sets = new Int32Array(64 * STRIDE).fill(-1);

  constructor(keeper: HashKeeper) {
    this.#keeper = keeper;
  }

  /**
   * Says that [from, to) of a set holds bytes of `source` (window number, `FORGOTTEN` or `HASHED`); `value` is the
   * position in the source window of the byte at `from`, or the hash.
   */
  insert(set: number, from: number, to: number, source: number, value: number): void {
    if (from >= to) return;
    const h = this.#open(set);
    const n = this.#sets[h + COUNT] as number;
    const words = this.#slab.words;
    const base = this.#sets[h + BLOCK] as number;
    if (n > 0) {
      const last = base + ((n - 1) << RECORD_SHIFT);
      if (words[last + 1] === from && this.#continues(last, from, source, value)) {
        words[last + 1] = to;
        return;
      }
    }
    const i = n > 0 && (words[base + ((n - 1) << RECORD_SHIFT) + 1] as number) > from ? this.#find(h, from) : n;
    if (i < n && (words[base + (i << RECORD_SHIFT)] as number) < to) {
      if (this.#says(base + (i << RECORD_SHIFT), from, to, source, value)) return;
      this.#cut(set, h, from, to);
      this.#place(h, this.#find(h, from), from, to, source, value);
    } else {
      this.#place(h, i, from, to, source, value);
    }
  }

  /** Number of records of a set. */
  count(set: number): number {
    const h = set * STRIDE;
    return h < this.#sets.length && (this.#sets[h + BLOCK] as number) >= 0 ? (this.#sets[h + COUNT] as number) : 0;
  }

  /** Index of the first record that ends behind `pos`. */
  indexAt(set: number, pos: number): number {
    return this.count(set) === 0 ? 0 : this.#find(set * STRIDE, pos);
  }

  from(set: number, i: number): number {
    return this.#slab.words[this.#record(set, i)] as number;
  }

  to(set: number, i: number): number {
    return this.#slab.words[this.#record(set, i) + 1] as number;
  }

  /** Source window, `FORGOTTEN` or `HASHED`. */
  source(set: number, i: number): number {
    return this.#slab.words[this.#record(set, i) + 2] as number;
  }

  /** Position of the record's first byte in its source window, or the hash. */
  value(set: number, i: number): number {
    return this.#slab.words[this.#record(set, i) + 3] as number;
  }

  #record(set: number, i: number): number {
    return (this.#sets[set * STRIDE + BLOCK] as number) + (i << RECORD_SHIFT);
  }

  #open(set: number): number {
    const h = set * STRIDE;
    if (h >= this.#sets.length) {
      const wider = new Int32Array(Math.max(this.#sets.length * 2, h + STRIDE)).fill(-1);
      wider.set(this.#sets);
      this.#sets = wider;
    }
    if ((this.#sets[h + BLOCK] as number) < 0) {
      this.#sets[h + BLOCK] = this.#slab.alloc(INITIAL_LOG2);
      this.#sets[h + LOG2] = INITIAL_LOG2;
      this.#sets[h + COUNT] = 0;
    }
    return h;
  }

  /** Index of the first record whose end is behind `pos`. */
  #find(h: number, pos: number): number {
    const words = this.#slab.words;
    const base = this.#sets[h + BLOCK] as number;
    let lo = 0;
    let hi = this.#sets[h + COUNT] as number;
    while (lo < hi) {
      const mid = (lo + hi) >> 1;
      if ((words[base + (mid << RECORD_SHIFT) + 1] as number) <= pos) lo = mid + 1;
      else hi = mid;
    }
    return lo;
  }

  /** True when the record at `at` says the same of all of [from, to) already. */
  #says(at: number, from: number, to: number, source: number, value: number): boolean {
    const words = this.#slab.words;
    if ((words[at] as number) > from || (words[at + 1] as number) < to) return false;
    return this.#continues(at, from, source, value);
  }

  /** True when a range that starts at `from` carries on the rule of the record at `at`. */
  #continues(at: number, from: number, source: number, value: number): boolean {
    const words = this.#slab.words;
    if (words[at + 2] !== source || source === HASHED) return false;
    return source === FORGOTTEN || (words[at + 3] as number) + from - (words[at] as number) === value;
  }

  /** Puts a range into the gap before record `i`, joined with its neighbours where their rules allow it. */
  #place(h: number, i: number, from: number, to: number, source: number, value: number): void {
    const words = this.#slab.words;
    const base = this.#sets[h + BLOCK] as number;
    const at = base + (i << RECORD_SHIFT);
    const left = at - STRIDE;
    const joinsLeft = i > 0 && words[left + 1] === from && this.#continues(left, from, source, value);
    const joinsRight =
      i < (this.#sets[h + COUNT] as number) && words[at] === to && this.#precedes(at, to - from, source, value);
    if (joinsLeft && joinsRight) {
      words[left + 1] = words[at + 1] as number;
      this.#delete(h, i, 1);
    } else if (joinsLeft) {
      words[left + 1] = to;
    } else if (joinsRight) {
      words[at] = from;
      words[at + 3] = value;
    } else {
      this.#insertRecord(h, i, from, to, source, value);
    }
  }

  #precedes(at: number, length: number, source: number, value: number): boolean {
    const words = this.#slab.words;
    if (words[at + 2] !== source || source === HASHED) return false;
    return source === FORGOTTEN || words[at + 3] === value + length;
  }

  #insertRecord(h: number, i: number, from: number, to: number, source: number, value: number): void {
    const n = this.#sets[h + COUNT] as number;
    const log2 = this.#sets[h + LOG2] as number;
    if ((n + 1) << RECORD_SHIFT > 1 << log2) {
      this.#sets[h + BLOCK] = this.#slab.enlarge(this.#sets[h + BLOCK] as number, log2);
      this.#sets[h + LOG2] = log2 + 1;
    }
    const words = this.#slab.words;
    const base = this.#sets[h + BLOCK] as number;
    const at = base + (i << RECORD_SHIFT);
    if (i < n) words.copyWithin(at + STRIDE, at, base + (n << RECORD_SHIFT));
    words[at] = from;
    words[at + 1] = to;
    words[at + 2] = source;
    words[at + 3] = value;
    this.#sets[h + COUNT] = n + 1;
  }

  #delete(h: number, i: number, records: number): void {
    if (records <= 0) return;
    const n = this.#sets[h + COUNT] as number;
    const base = this.#sets[h + BLOCK] as number;
    const at = base + (i << RECORD_SHIFT);
    this.#slab.words.copyWithin(at, at + (records << RECORD_SHIFT), base + (n << RECORD_SHIFT));
    this.#sets[h + COUNT] = n - records;
  }

  /** Removes [from, to) from all records. */
  #cut(set: number, h: number, from: number, to: number): void {
    let i = this.#find(h, from);
    if (this.from(set, i) < from) {
      this.#split(set, h, i, from);
      i++;
    }
    let end = i;
    while (end < (this.#sets[h + COUNT] as number) && this.from(set, end) < to) {
      if (this.to(set, end) > to) this.#split(set, h, end, to);
      if (this.source(set, end) === HASHED) this.#keeper.dropHash(this.value(set, end));
      end++;
    }
    this.#delete(h, i, end - i);
  }

  /** Makes two records of record `i`, the second starting at `pos`. */
  #split(set: number, h: number, i: number, pos: number): void {
    const from = this.from(set, i);
    const to = this.to(set, i);
    const source = this.source(set, i);
    const value = this.value(set, i);
    const second =
      source === HASHED ? this.#keeper.rehash(set, pos, to) : source === FORGOTTEN ? 0 : value + pos - from;
    this.#insertRecord(h, i + 1, pos, to, source, second);
    const at = this.#record(set, i);
    this.#slab.words[at + 1] = pos;
    if (source === HASHED) {
      this.#keeper.dropHash(value);
      this.#slab.words[at + 3] = this.#keeper.rehash(set, from, pos);
    }
  }
}
