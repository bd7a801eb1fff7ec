/**
 * What memory must still hold at the end of the test: for every byte range that was found right, where its bytes came
 * from. Ranges filled from never-written memory are kept as an affine rule (source window and position), so that a
 * whole run of messages is one record; others as a 128-bit hash; ranges whose content nobody can predict as
 * `FORGOTTEN`. Later legal writes replace earlier records. Records lie in order of address in chunks of bounded size,
 * so that a replacement costs the same in a window of ten records and in one of a million.
 */

import { RecordChunks } from './recordChunks.ts';

/** Instead of a source window: content unknown but legally written. */
export const FORGOTTEN = -1;
/** Instead of a source window: the value is the number of a hash. */
export const HASHED = -2;

/** Makes the hash of a remaining piece when a later write cuts a hashed range, and drops hashes no longer needed. */
export interface HashKeeper {
  rehash(set: number, from: number, to: number): number;
  dropHash(hash: number): void;
}

export class VerifiedMap {
  readonly #chunks = new RecordChunks();
  readonly #keeper: HashKeeper;

  constructor(keeper: HashKeeper) {
    this.#keeper = keeper;
  }

  /**
   * Says that [from, to) of a set holds bytes of `source` (window number, `FORGOTTEN` or `HASHED`); `value` is the
   * position in the source window of the byte at `from`, or the hash.
   */
  insert(set: number, from: number, to: number, source: number, value: number): void {
    if (from >= to) return;
    const k = this.#chunks;
    const at = k.seek(set, from);
    if (at < 0 || (k.words[at] as number) >= to) this.#place(at, from, to, source, value);
    else if (!this.#says(at, from, to, source, value)) this.#replace(set, at, from, to, source, value);
  }

  /** Number of records of a set. */
  count(set: number): number {
    return this.#chunks.count(set);
  }

  /** The first record that ends behind `pos`, or -1. Like `next`, valid until the next insertion. */
  recordAt(set: number, pos: number): number {
    return this.#chunks.find(set, pos);
  }

  /** The record after another of the set, or -1. */
  next(set: number, record: number): number {
    return this.#chunks.next(set, record);
  }

  from(set: number, record: number): number {
    return this.#chunks.words[this.#chunks.offset(set, record)] as number;
  }

  to(set: number, record: number): number {
    return this.#chunks.words[this.#chunks.offset(set, record) + 1] as number;
  }

  /** Source window, `FORGOTTEN` or `HASHED`. */
  source(set: number, record: number): number {
    return this.#chunks.words[this.#chunks.offset(set, record) + 2] as number;
  }

  /** Position of the record's first byte in its source window, or the hash. */
  value(set: number, record: number): number {
    return this.#chunks.words[this.#chunks.offset(set, record) + 3] as number;
  }

  /** True when the record at `at` says the same of all of [from, to) already. */
  #says(at: number, from: number, to: number, source: number, value: number): boolean {
    const words = this.#chunks.words;
    if ((words[at] as number) > from || (words[at + 1] as number) < to) return false;
    return this.#continues(at, from, source, value);
  }

  /** True when a range that starts at `from` carries on the rule of the record at `at`. */
  #continues(at: number, from: number, source: number, value: number): boolean {
    const words = this.#chunks.words;
    if (words[at + 2] !== source || source === HASHED) return false;
    return source === FORGOTTEN || (words[at + 3] as number) + from - (words[at] as number) === value;
  }

  /** True when the record at `at` carries on the rule of a range `length` bytes before it. */
  #precedes(at: number, length: number, source: number, value: number): boolean {
    const words = this.#chunks.words;
    if (words[at + 2] !== source || source === HASHED) return false;
    return source === FORGOTTEN || words[at + 3] === value + length;
  }

  /** Puts a range into the gap before the cursor's record `at`, joined with its neighbours where the rules allow it. */
  #place(at: number, from: number, to: number, source: number, value: number): void {
    const k = this.#chunks;
    const words = k.words;
    const left = k.before();
    const joinsLeft = left >= 0 && words[left + 1] === from && this.#continues(left, from, source, value);
    const joinsRight = at >= 0 && words[at] === to && this.#precedes(at, to - from, source, value);
    if (joinsLeft) {
      words[left + 1] = joinsRight ? (words[at + 1] as number) : to;
      if (joinsRight) k.remove();
    } else if (joinsRight) {
      words[at] = from;
      words[at + 3] = value;
    } else {
      k.insert(from, to, source, value);
    }
  }

  /** Puts a range over the records from the cursor's, `at`, on. */
  #replace(set: number, at: number, from: number, to: number, source: number, value: number): void {
    const k = this.#chunks;
    let here = at;
    if ((k.words[at] as number) < from) {
      if ((k.words[at + 1] as number) > to) {
        this.#pierce(set, at, from, to);
        k.insert(from, to, source, value);
        return;
      }
      this.#trim(set, at, k.words[at] as number, from);
      here = k.advance();
    }
    while (here >= 0 && (k.words[here + 1] as number) <= to) {
      if (k.words[here + 2] === HASHED) this.#keeper.dropHash(k.words[here + 3] as number);
      if (this.#isLastUnder(here, to) && !this.#joins(here, from, to, source, value)) {
        k.set(here, from, to, source, value);
        return;
      }
      here = k.remove();
    }
    if (here >= 0 && (k.words[here] as number) < to) this.#trim(set, here, to, k.words[here + 1] as number);
    this.#place(here, from, to, source, value);
  }

  /** True when no record after the cursor's, `at`, begins before `to`. */
  #isLastUnder(at: number, to: number): boolean {
    if (this.#chunks.words[at + 1] === to) return true;
    const next = this.#chunks.after();
    return next < 0 || (this.#chunks.words[next] as number) >= to;
  }

  /** True when a range in place of the cursor's record would join one of the neighbours. */
  #joins(at: number, from: number, to: number, source: number, value: number): boolean {
    const k = this.#chunks;
    const left = k.before();
    if (left >= 0 && k.words[left + 1] === from && this.#continues(left, from, source, value)) return true;
    const right = k.after();
    return right >= 0 && right !== at && k.words[right] === to && this.#precedes(right, to - from, source, value);
  }

  /** Leaves a gap [from, to) inside the cursor's record and the cursor on what is behind the gap. */
  #pierce(set: number, at: number, from: number, to: number): void {
    const k = this.#chunks;
    const end = k.words[at + 1] as number;
    const source = k.words[at + 2] as number;
    const value = this.#valueOf(set, at, to, end);
    this.#trim(set, at, k.words[at] as number, from);
    k.advance();
    k.insert(to, end, source, value);
  }

  /** Cuts the record at `at` down to [from, to). */
  #trim(set: number, at: number, from: number, to: number): void {
    const value = this.#valueOf(set, at, from, to);
    const words = this.#chunks.words;
    if (words[at + 2] === HASHED) this.#keeper.dropHash(words[at + 3] as number);
    words[at] = from;
    words[at + 1] = to;
    words[at + 3] = value;
  }

  /** Value of the part [from, to) of the record at `at`; a new hash if it is a hashed one. */
  #valueOf(set: number, at: number, from: number, to: number): number {
    const words = this.#chunks.words;
    const source = words[at + 2] as number;
    if (source === HASHED) return this.#keeper.rehash(set, from, to);
    return source === FORGOTTEN ? 0 : (words[at + 3] as number) + from - (words[at] as number);
  }
}
