/**
 * A write-back cache of table entries that live in ICM, host memory mapped by MAP_ICM (hangu-rtl-facts.md 3.1):
 * set associative, least recently used, misses outstanding per line, the missed request resumed after the fill.
 *
 * A lookup either hits and returns a line at once, or starts the fill, remembers who asked and returns `MISS`; the
 * asker is resumed when the line is there and looks it up again. Lines hold the entry's bytes as it is stored in ICM,
 * so an entry that was evicted and read again has travelled through host memory both ways.
 *
 * Work that needs lines of several caches at once pins the one it has while it waits for the next; otherwise, with many
 * more entries in use than lines, each would evict what the others came back for and nothing would ever go on. Whoever
 * pins may only wait for caches that come later in the order QPC or CQC, MPT, MTT: then there is no circular wait.
 */
import type { ByteStore } from '../../../../uvm/bytes/byteStore.ts';
import type { Resumable } from '../../../roce/rxPacket.ts';
import { CacheAskers } from './cacheAskers.ts';
import type { DmaClient, DmaEngine } from '../../../roce/dmaEngine.ts';
import { type EntryTable, FAILED, MISS, UNMAPPED } from './entryTable.ts';
import type { IcmTableMap } from './icmMap.ts';
import { PAGE_BYTES } from '../../layout/commands.ts';

// State of a line, what is added to that of a valid one that was changed, and how often it is pinned by work under way
// that needs it to stay.
const FREE = 0;
const FILLING = 1;
const VALID = 2;
const DIRTY = 4;
const PIN = 8;
const PAGE_BITS = 12;
// Words of a line's record. The records of a set lie side by side: a look-up touches one cache line for them.
const STRIDE = 4;
const STRIDE_BITS = 2;
const TAG = 0;
const STATE = 1;
/** When the line was used last, counted modulo 2^32: after a wrap some choices are merely less good. */
const USED = 2;
/** What the cache had counted when the record was last given up by a line, or its line altered. */
const CHANGED = 3;

export class IcmCache implements EntryTable, DmaClient {
  /** Tag of the line that the last look-up found, or -1: neighbouring accesses mostly want it again. Its record. */
  latest = -1;
  latestRecord = 0;
  /** Lines that have gone or been altered, modulo 2^32. */
  changes = 0;

  readonly lineBytes: number;
  private readonly table: IcmTableMap;
  private readonly dma: DmaEngine;
  readonly #base: number;
  // Small integers from the start: V8 then never tests whether they are.
  #setMask = 0;
  /** log2 of the ways, of the sets, of the entries per line, and of its bytes. */
  #wayBits = 0;
  #setBits = 0;
  #shift = 0;
  #lineBits = 0;
  /** Records of the lines, set by set. */
  readonly #lines: Int32Array;
  readonly #askers: CacheAskers;
  #clock = 0;
  #failedTag = -1;

  /**
   * @param entriesPerLine entries fetched together, a power of two (MTT: 4), so that a line covers `entriesPerLine * entryBytes`
   */
  constructor(table: IcmTableMap, dma: DmaEngine, bytes: ByteStore, lines: number, ways: number, entriesPerLine = 1) {
    this.table = table;
    this.dma = dma;
    const w = Math.min(ways, lines);
    this.#setMask = lines / w - 1;
    this.#wayBits = log2(w);
    this.#setBits = log2(lines / w);
    this.#shift = log2(entriesPerLine);
    this.lineBytes = table.entryBytes * entriesPerLine;
    this.#lineBits = log2(this.lineBytes);
    this.#base = bytes.alloc(lines * this.lineBytes, 64);
    this.#lines = new Int32Array(lines * STRIDE);
    this.#forgetAll();
    this.#askers = new CacheAskers();
  }

  /**
   * Byte-store offset of the line that holds entry `index`; or `MISS`, and `asker` is resumed later; or `UNMAPPED`,
   * or `FAILED`. Mark what you change with `touch`.
   */
  lookup(index: number, asker: Resumable): number {
    const tag = index >>> this.#shift;
    return tag === this.latest ? this.#place(this.latestRecord) : this.#search(tag, asker);
  }

  /**
   * As `lookup`, for an entry that is about to be overwritten whole: nothing is fetched, and the line is dirty.
   * Can still `MISS` when every way is busy or a fill of that line is under way.
   */
  allocate(index: number, asker: Resumable): number {
    const tag = index >>> this.#shift;
    const lines = this.#lines;
    let r = this.#find(tag);
    if (r >= 0 && !this.#isValid(r)) return this.#wait(r, asker);
    if (r < 0) {
      if (!this.table.isMapped(this.#page(tag))) return UNMAPPED;
      r = this.#victim(tag);
      if (r < 0) return this.#block(tag, asker);
      lines[r + TAG] = tag;
    }
    lines[r + STATE] = (lines[r + STATE] as number) | VALID | DIRTY;
    this.#use(r);
    return this.#place(r);
  }

  /**
   * As a `lookup` that finds its line, for who noted tag, record and `changes` after one before.
   * @returns false when the line has left the cache since or was altered; then nothing has happened
   */
  again(tag: number, record: number, changes: number): boolean {
    if (changes !== this.changes && this.#hasChanged(record, changes)) return false;
    if (tag !== this.latest) this.#found(tag, record);
    return true;
  }

  /** As `touch` for a line of which others may have noted what it said. */
  alter(at: number): void {
    this.touch(at);
    this.#change(this.#recordAt(at));
  }

  /** Marks the line at byte-store offset `at` as changed. */
  touch(at: number): void {
    this.touchRecord(this.#recordAt(at));
  }

  /** As `touch` for the line of a record that was found just now. It stays changed until it leaves the cache. */
  touchRecord(r: number): void {
    const lines = this.#lines;
    lines[r + STATE] = (lines[r + STATE] as number) | DIRTY;
  }

  /** Keeps the line of entry `index` until as many `unpin`s. @returns false when the entry is not in the cache */
  pin(index: number): boolean {
    const r = this.#find(index >>> this.#shift);
    if (r < 0 || !this.#isValid(r)) return false;
    this.#pin(r, PIN);
    return true;
  }

  /** Takes back one `pin` of entry `index`. Askers that were turned away are resumed by the next `wake`. */
  unpin(index: number): void {
    const r = this.#find(index >>> this.#shift);
    if (r < 0 || !this.#isPinned(r)) return;
    this.#pin(r, -PIN);
    if (!this.#isPinned(r)) this.#askers.unpinned(this.#setOf(r));
  }

  /** Resumes the askers of sets in which a line was unpinned. Call it when no context is in use. */
  wake(): void {
    this.#askers.wake();
  }

  /** Whether entry `index` is in the cache and valid. */
  holds(index: number): boolean {
    const r = this.#find(index >>> this.#shift);
    return r >= 0 && this.#isValid(r);
  }

  /** Writes every dirty line whose page number lies in [first, first + count) back and forgets those lines. */
  flushPages(first: number, count: number): void {
    for (let r = 0; r < this.#lines.length; r += STRIDE) {
      if (!this.#isValid(r)) continue;
      const page = this.#page(this.#lines[r + TAG] as number);
      if (page < first || page >= first + count) continue;
      this.#writeBack(r);
      this.#forget(r);
    }
  }

  /** Forgets everything without writing back (reset). */
  clear(): void {
    this.#forgetAll();
    this.#askers.clear();
    this.latest = -1;
    this.#failedTag = -1;
  }

  dmaDone(line: number, ok: boolean): void {
    const lines = this.#lines;
    const r = line * STRIDE;
    // What the first asker does must not evict the line before the last one has seen it.
    if (ok) lines[r + STATE] = VALID | PIN;
    else {
      this.#failedTag = lines[r + TAG] as number;
      lines[r + STATE] = FREE;
      lines[r + TAG] = -1;
    }
    this.#askers.arrived(line);
    if (ok && this.#isPinned(r)) this.#pin(r, -PIN);
    this.#failedTag = -1;
    this.#askers.unblock(this.#setOf(r));
  }

  /** Bytes written back to ICM on eviction; overridable so that a lossy cache can be planted. */
  protected writeBackBytes(): number {
    return this.lineBytes;
  }

  /** The general case of `lookup`. */
  #search(tag: number, asker: Resumable): number {
    const r = this.#find(tag);
    if (r < 0) return this.#miss(tag, asker);
    if (!this.#isValid(r)) return this.#wait(r, asker);
    this.#found(tag, r);
    return this.#place(r);
  }

  #found(tag: number, r: number): void {
    this.latest = tag;
    this.latestRecord = r;
    this.#use(r);
  }

  /** Byte-store offset of a line. Those of one way lie side by side, so that neighbouring entries do. */
  #place(r: number): number {
    const line = r >> STRIDE_BITS;
    const way = line & ((1 << this.#wayBits) - 1);
    return this.#base + (((way << this.#setBits) | (line >> this.#wayBits)) << this.#lineBits);
  }

  /** Record of the line with this tag, or -1. */
  #find(tag: number): number {
    const lines = this.#lines;
    const first = this.#firstOf(tag);
    const end = first + (STRIDE << this.#wayBits);
    for (let r = first; r < end; r += STRIDE) if (lines[r + TAG] === tag) return r;
    return -1;
  }

  /** First record of the set that a tag belongs to. */
  #firstOf(tag: number): number {
    return (tag & this.#setMask) << (this.#wayBits + STRIDE_BITS);
  }

  #setOf(r: number): number {
    return r >> (STRIDE_BITS + this.#wayBits);
  }

  /** Record of the line whose bytes lie at byte-store offset `at`. */
  #recordAt(at: number): number {
    const place = (at - this.#base) >> this.#lineBits;
    return (((place & this.#setMask) << this.#wayBits) | (place >> this.#setBits)) << STRIDE_BITS;
  }

  #isValid(r: number): boolean {
    return ((this.#lines[r + STATE] as number) & VALID) !== 0;
  }

  #isPinned(r: number): boolean {
    return (this.#lines[r + STATE] as number) >= PIN;
  }

  #use(r: number): void {
    this.#lines[r + USED] = this.#clock = (this.#clock + 1) | 0;
  }

  /** What was noted of the line of a record is outdated. */
  #change(r: number): void {
    this.#lines[r + CHANGED] = this.changes = (this.changes + 1) | 0;
  }

  #hasChanged(r: number, since: number): boolean {
    return ((since - (this.#lines[r + CHANGED] as number)) | 0) < 0;
  }

  #pin(r: number, change: number): void {
    this.#lines[r + STATE] = (this.#lines[r + STATE] as number) + change;
  }

  #forgetAll(): void {
    const lines = this.#lines;
    lines.fill(0, 0, STRIDE);
    lines[TAG] = -1;
    this.#change(0);
    // A short run does little else than this with its thousands of lines: they are copied in ever longer pieces.
    for (let done = STRIDE; done < lines.length; done *= 2) lines.copyWithin(done, 0, done);
  }

  #wait(r: number, asker: Resumable): number {
    this.#askers.join(r >> STRIDE_BITS, asker);
    return MISS;
  }

  /** Number of the page of the table that a line lies in, and the line's first byte in it. */
  #page(tag: number): number {
    return tag >>> (PAGE_BITS - this.#lineBits);
  }

  #inPage(tag: number): number {
    return (tag << this.#lineBits) & (PAGE_BYTES - 1);
  }

  #miss(tag: number, asker: Resumable): number {
    if (tag === this.#failedTag) return FAILED;
    const { table } = this;
    const page = this.#page(tag);
    if (!table.isMapped(page)) return UNMAPPED;
    const r = this.#victim(tag);
    if (r < 0) return this.#block(tag, asker);
    const lines = this.#lines;
    lines[r + TAG] = tag;
    lines[r + STATE] = FILLING;
    this.#use(r);
    const line = r >> STRIDE_BITS;
    this.#askers.fetch(line, asker);
    const lo = table.frameLo(page) + this.#inPage(tag);
    this.dma.read(table.frameHi(page), lo, this.lineBytes, this.#place(r), this, line);
    return MISS;
  }

  #block(tag: number, asker: Resumable): number {
    this.#askers.block(tag & this.#setMask, asker);
    return MISS;
  }

  /** Least recently used way that is neither being filled nor pinned, written back and emptied; -1 when there is none. */
  #victim(tag: number): number {
    const lines = this.#lines;
    const first = this.#firstOf(tag);
    const end = first + (STRIDE << this.#wayBits);
    let best = -1;
    let oldest = 0;
    for (let r = first; r < end; r += STRIDE) {
      const state = lines[r + STATE] as number;
      if (state === FREE) return r;
      if (state === FILLING || state >= PIN) continue;
      const used = (lines[r + USED] as number) >>> 0;
      if (best >= 0 && used >= oldest) continue;
      best = r;
      oldest = used;
    }
    if (best < 0) return -1;
    this.#writeBack(best);
    this.#forget(best);
    return best;
  }

  #forget(r: number): void {
    const lines = this.#lines;
    if (lines[r + TAG] === this.latest) this.latest = -1;
    lines[r + TAG] = -1;
    lines[r + STATE] = FREE;
    this.#change(r);
  }

  #writeBack(r: number): void {
    const lines = this.#lines;
    const state = lines[r + STATE] as number;
    if ((state & DIRTY) === 0) return;
    lines[r + STATE] = state & ~DIRTY;
    const n = this.writeBackBytes();
    if (n === 0) return;
    const { table } = this;
    const tag = lines[r + TAG] as number;
    const page = this.#page(tag);
    this.dma.writeCopy(table.frameHi(page), table.frameLo(page) + this.#inPage(tag), n, this.#place(r));
  }
}

/** Of a power of two, as an integer. */
function log2(n: number): number {
  return 31 - Math.clz32(n);
}
