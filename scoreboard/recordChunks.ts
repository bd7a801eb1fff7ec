/**
 * Sets of four-word records (from, to, and two words of the user) in order of position, without overlaps. A set is a
 * directory of chunks of at most 32 records, so that insertion and removal move a bounded number of words and finding
 * a record is two binary searches. A cursor stands where `seek` left it.
 */

import { BuddySlab } from './buddySlab.ts';

// Header of a set: block of the directory, its size class, number of chunks, record of the last `seek`.
const STRIDE = 4;
const LOG2 = 1;
const CHUNKS = 2;
const HINT = 3;
// Entry of the directory: block, size class, number of records.
const ENTRY_SHIFT = 2;
const SIZE = 1;
const USED = 2;
const RECORD_SHIFT = 2;
const WORDS = 1 << RECORD_SHIFT;
const INITIAL_LOG2 = 3;
/** Most records of a chunk and the words they take, as powers of two. */
const FULL_LOG2 = 5;
const FULL = 1 << FULL_LOG2;
const CHUNK_LOG2 = FULL_LOG2 + RECORD_SHIFT;

export class RecordChunks {
  /** All records. Replaced when it grows. */
  words: Int32Array;
  readonly #slab = new BuddySlab();
  #sets = new Int32Array(64 * STRIDE).fill(-1);
  /** The cursor: header of the set, chunk, record in the chunk (behind the last one: at the end of the set). */
  #h = 0;
  #chunk = 0;
  #i = 0;

  constructor() {
    this.words = this.#slab.words;
  }

  /** Number of records of a set. */
  count(set: number): number {
    const chunks = this.#chunksOf(set);
    let n = 0;
    for (let c = 0; c < chunks; c++) n += this.words[this.#entry(set * STRIDE, c) + USED] as number;
    return n;
  }

  /** Number of the first record that ends behind `pos`, for `next` and `offset`; -1 = none. */
  find(set: number, pos: number): number {
    if (this.#chunksOf(set) === 0) return -1;
    return this.seek(set, pos) < 0 ? -1 : (this.#chunk << FULL_LOG2) | this.#i;
  }

  /** The record after another, or -1. */
  next(set: number, record: number): number {
    const c = record >> FULL_LOG2;
    if ((record & (FULL - 1)) + 1 < (this.words[this.#entry(set * STRIDE, c) + USED] as number)) return record + 1;
    return c + 1 < this.#chunksOf(set) ? (c + 1) << FULL_LOG2 : -1;
  }

  /** Offset in `words` of a record. */
  offset(set: number, record: number): number {
    const block = this.words[this.#entry(set * STRIDE, record >> FULL_LOG2)] as number;
    return block + ((record & (FULL - 1)) << RECORD_SHIFT);
  }

  /** Puts the cursor on the first record that ends behind `pos` and returns its offset in `words`, or -1 at the end. */
  seek(set: number, pos: number): number {
    const h = this.#open(set);
    this.#h = h;
    if (!this.#nearHint(h, pos)) this.#search(h, pos);
    this.#sets[h + HINT] = (this.#chunk << FULL_LOG2) | this.#i;
    return this.#here();
  }

  /** Offset of the record before the cursor, or -1. */
  before(): number {
    if (this.#i > 0) return (this.words[this.#entry(this.#h, this.#chunk)] as number) + ((this.#i - 1) << RECORD_SHIFT);
    if (this.#chunk === 0) return -1;
    const e = this.#entry(this.#h, this.#chunk - 1);
    return (this.words[e] as number) + (((this.words[e + USED] as number) - 1) << RECORD_SHIFT);
  }

  /** Offset of the record after the cursor's, or -1. */
  after(): number {
    const e = this.#entry(this.#h, this.#chunk);
    if (this.#i + 1 < (this.words[e + USED] as number))
      return (this.words[e] as number) + ((this.#i + 1) << RECORD_SHIFT);
    if (this.#chunk + 1 >= (this.#sets[this.#h + CHUNKS] as number)) return -1;
    return this.words[this.#entry(this.#h, this.#chunk + 1)] as number;
  }

  /** Moves the cursor on by one record and returns its offset, or -1 at the end. */
  advance(): number {
    this.#i++;
    return this.#settle();
  }

  /** Overwrites the record at an offset. */
  set(at: number, from: number, to: number, source: number, value: number): void {
    const words = this.words;
    words[at] = from;
    words[at + 1] = to;
    words[at + 2] = source;
    words[at + 3] = value;
  }

  /** Puts a record before the cursor's, which the cursor then stands on. */
  insert(from: number, to: number, source: number, value: number): void {
    if (this.#i === 0 && this.#chunk > 0) this.#stepBack();
    let e = this.#entry(this.#h, this.#chunk);
    if (this.words[e + USED] === FULL) {
      this.#split();
      e = this.#entry(this.#h, this.#chunk);
    } else if ((this.words[e + USED] as number) << RECORD_SHIFT === 1 << (this.words[e + SIZE] as number)) {
      this.#enlarge(e);
    }
    const words = this.words;
    const n = words[e + USED] as number;
    const base = words[e] as number;
    const at = base + (this.#i << RECORD_SHIFT);
    for (let j = base + (n << RECORD_SHIFT) - 1; j >= at; j--) words[j + WORDS] = words[j] as number;
    this.set(at, from, to, source, value);
    words[e + USED] = n + 1;
  }

  /** Removes the cursor's record and returns the offset of the one after it, or -1 at the end. */
  remove(): number {
    const words = this.words;
    const e = this.#entry(this.#h, this.#chunk);
    const n = (words[e + USED] as number) - 1;
    const base = words[e] as number;
    const end = base + (n << RECORD_SHIFT);
    for (let j = base + (this.#i << RECORD_SHIFT); j < end; j++) words[j] = words[j + WORDS] as number;
    words[e + USED] = n;
    if (n === 0 && (this.#sets[this.#h + CHUNKS] as number) > 1) this.#dropChunk(e);
    return this.#settle();
  }

  #chunksOf(set: number): number {
    const h = set * STRIDE;
    return h < this.#sets.length && (this.#sets[h] as number) >= 0 ? (this.#sets[h + CHUNKS] as number) : 0;
  }

  #entry(h: number, chunk: number): number {
    return (this.#sets[h] as number) + (chunk << ENTRY_SHIFT);
  }

  /** Offset of the cursor's record, or -1. */
  #here(): number {
    const e = this.#entry(this.#h, this.#chunk);
    if (this.#i >= (this.words[e + USED] as number)) return -1;
    return (this.words[e] as number) + (this.#i << RECORD_SHIFT);
  }

  /** As `#here`, after moving a cursor behind a chunk to the start of the one after it, if there is one. */
  #settle(): number {
    const used = this.words[this.#entry(this.#h, this.#chunk) + USED] as number;
    if (this.#i >= used && this.#chunk + 1 < (this.#sets[this.#h + CHUNKS] as number)) {
      this.#chunk++;
      this.#i = 0;
    }
    return this.#here();
  }

  /** Queues are filled in order: most often the record sought is that of the last time or the one after it. */
  #nearHint(h: number, pos: number): boolean {
    const hint = this.#sets[h + HINT] as number;
    const chunk = hint >> FULL_LOG2;
    const chunks = this.#sets[h + CHUNKS] as number;
    if (chunk >= chunks) return false;
    const words = this.words;
    const e = this.#entry(h, chunk);
    const base = words[e] as number;
    const n = words[e + USED] as number;
    let i = hint & (FULL - 1);
    if (i > n || (i === 0 && chunk > 0)) return false;
    if (i > 0 && (words[base + (i << RECORD_SHIFT) - 3] as number) > pos) return false;
    while (i < n && (words[base + (i << RECORD_SHIFT) + 1] as number) <= pos) {
      if (++i > (hint & (FULL - 1)) + 1) return false;
    }
    if (i >= n && chunk + 1 < chunks) return false;
    this.#chunk = chunk;
    this.#i = i;
    return true;
  }

  #search(h: number, pos: number): void {
    const words = this.words;
    let lo = 0;
    let hi = (this.#sets[h + CHUNKS] as number) - 1;
    while (lo < hi) {
      const mid = (lo + hi) >> 1;
      const e = this.#entry(h, mid);
      const last = (words[e] as number) + (((words[e + USED] as number) - 1) << RECORD_SHIFT);
      if ((words[last + 1] as number) <= pos) lo = mid + 1;
      else hi = mid;
    }
    this.#chunk = lo;
    const e = this.#entry(h, lo);
    const base = words[e] as number;
    lo = 0;
    hi = words[e + USED] as number;
    while (lo < hi) {
      const mid = (lo + hi) >> 1;
      if ((words[base + (mid << RECORD_SHIFT) + 1] as number) <= pos) lo = mid + 1;
      else hi = mid;
    }
    this.#i = lo;
  }

  #open(set: number): number {
    const h = set * STRIDE;
    if (h >= this.#sets.length) {
      const wider = new Int32Array(Math.max(this.#sets.length * 2, h + STRIDE)).fill(-1);
      wider.set(this.#sets);
      this.#sets = wider;
    }
    if ((this.#sets[h] as number) < 0) {
      this.#sets[h] = this.#slab.alloc(INITIAL_LOG2);
      this.#sets[h + LOG2] = INITIAL_LOG2;
      this.#sets[h + CHUNKS] = 1;
      this.#sets[h + HINT] = 0;
      this.#fillEntry(this.#sets[h] as number, this.#slab.alloc(INITIAL_LOG2), INITIAL_LOG2);
    }
    return h;
  }

  #fillEntry(e: number, block: number, log2: number): void {
    this.words = this.#slab.words;
    this.words[e] = block;
    this.words[e + SIZE] = log2;
    this.words[e + USED] = 0;
  }

  /** From the start of a chunk to the end of the one before, if there is room. */
  #stepBack(): void {
    const used = this.words[this.#entry(this.#h, this.#chunk - 1) + USED] as number;
    if (used === FULL) return;
    this.#chunk--;
    this.#i = used;
  }

  #enlarge(e: number): void {
    const log2 = this.words[e + SIZE] as number;
    const block = this.#slab.enlarge(this.words[e] as number, log2);
    this.words = this.#slab.words;
    this.words[e] = block;
    this.words[e + SIZE] = log2 + 1;
  }

  /** Moves the upper half of the cursor's full chunk, or nothing when the cursor is at its end, to a new one. */
  #split(): void {
    const block = this.#slab.alloc(CHUNK_LOG2);
    this.words = this.#slab.words;
    this.#makeEntry(this.#chunk + 1);
    const words = this.words;
    const e = this.#entry(this.#h, this.#chunk);
    this.#fillEntry(e + WORDS, block, CHUNK_LOG2);
    const keep = this.#i === FULL ? FULL : FULL >> 1;
    const from = words[e] as number;
    words.copyWithin(block, from + (keep << RECORD_SHIFT), from + (FULL << RECORD_SHIFT));
    words[e + USED] = keep;
    words[e + WORDS + USED] = FULL - keep;
    if (this.#i < keep || (this.#i === keep && keep < FULL)) return;
    this.#chunk++;
    this.#i -= keep;
  }

  /** Makes room for a chunk in the directory. */
  #makeEntry(chunk: number): void {
    const h = this.#h;
    const n = this.#sets[h + CHUNKS] as number;
    const log2 = this.#sets[h + LOG2] as number;
    if ((n + 1) << ENTRY_SHIFT > 1 << log2) {
      this.#sets[h] = this.#slab.enlarge(this.#sets[h] as number, log2);
      this.#sets[h + LOG2] = log2 + 1;
      this.words = this.#slab.words;
    }
    const e = this.#entry(h, chunk);
    this.words.copyWithin(e + WORDS, e, this.#entry(h, n));
    this.#sets[h + CHUNKS] = n + 1;
  }

  #dropChunk(e: number): void {
    const n = this.#sets[this.#h + CHUNKS] as number;
    this.#slab.release(this.words[e] as number, this.words[e + SIZE] as number);
    this.words.copyWithin(e, e + WORDS, this.#entry(this.#h, n));
    this.#sets[this.#h + CHUNKS] = n - 1;
    if (this.#chunk === n - 1) {
      this.#chunk--;
      this.#i = this.words[this.#entry(this.#h, this.#chunk) + USED] as number;
    } else {
      this.#i = 0;
    }
  }
}
