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
 * pins may only wait for caches that come later in the order QPC, MPT, MTT: then there is no circular wait.
 */
import type { ByteStore } from '../../uvm/bytes/byteStore.ts';
import type { Resumable } from '../roce/rxPacket.ts';
import type { DmaClient, DmaEngine } from './dmaEngine.ts';
import type { IcmTableMap } from './icmMap.ts';

/** The line is being fetched; the asker will be resumed. */
export const MISS = -1;
/** The entry lies in a page that is not mapped. */
export const UNMAPPED = -2;
/** Reading the entry from host memory failed. */
export const FAILED = -3;

// State of a line, and what is added to that of a valid one that was changed.
const FREE = 0;
const FILLING = 1;
const VALID = 2;
const DIRTY = 4;
// Words of a line's record. The records of a set lie side by side: a look-up touches one cache line for them.
const STRIDE = 4;
const TAG = 0;
const STATE = 1;
/** When the line was used last, counted modulo 2^32: after a wrap some choices are merely less good. */
const USED = 2;
/** Work under way that needs the line to stay. */
const PINS = 3;

export class IcmCache implements DmaClient {
  hits = 0;
  misses = 0;
  evictions = 0;

  readonly lineBytes: number;
  private readonly table: IcmTableMap;
  private readonly dma: DmaEngine;
  readonly #base: number;
  readonly #ways: number;
  readonly #setMask: number;
  /** log2 of the ways and of the sets. */
  readonly #wayBits: number;
  readonly #setBits: number;
  /** log2 of the entries per line. */
  readonly #shift: number;
  /** Records of the lines, set by set. */
  readonly #lines: Int32Array;
  readonly #waiters: (Resumable[] | null)[];
  /** Per set: askers that found every way busy with a fill. */
  readonly #blocked: (Resumable[] | null)[];
  /** Sets with blocked askers in which a line was unpinned. */
  readonly #unpinned: number[] = [];
  #waking = false;
  #clock = 0;
  #failedTag = -1;
  /** The line that the last lookup found: neighbouring accesses mostly want it again. */
  #lastTag = -1;
  #lastAt = 0;

  /**
   * @param entriesPerLine entries fetched together, a power of two (MTT: 4), so that a line covers `entriesPerLine * entryBytes`
   */
  constructor(table: IcmTableMap, dma: DmaEngine, bytes: ByteStore, lines: number, ways: number, entriesPerLine = 1) {
    this.table = table;
    this.dma = dma;
    const w = Math.min(ways, lines);
    this.#ways = w;
    this.#setMask = lines / w - 1;
    this.#wayBits = Math.log2(w);
    this.#setBits = Math.log2(lines / w);
    this.#shift = Math.log2(entriesPerLine);
    this.lineBytes = table.entryBytes * entriesPerLine;
    this.#base = bytes.alloc(lines * this.lineBytes, 64);
    this.#lines = new Int32Array(lines * STRIDE);
    this.#forgetAll();
    this.#waiters = new Array<Resumable[] | null>(lines).fill(null);
    this.#blocked = new Array<Resumable[] | null>(lines / w).fill(null);
  }

  /**
   * Byte-store offset of the line that holds entry `index`; or `MISS`, and `asker` is resumed later; or `UNMAPPED`,
   * or `FAILED`. Mark what you change with `touch`.
   */
  lookup(index: number, asker: Resumable): number {
    const tag = index >>> this.#shift;
    if (tag === this.#lastTag) {
      this.hits++;
      return this.#lastAt;
    }
    const line = this.#find(tag);
    if (line >= 0) {
      if (this.#isValid(line)) {
        this.hits++;
        this.#use(line);
        this.#lastTag = tag;
        this.#lastAt = this.#offset(line);
        return this.#lastAt;
      }
      (this.#waiters[line] as Resumable[]).push(asker);
      return MISS;
    }
    return this.#miss(tag, asker);
  }

  /**
   * As `lookup`, for an entry that is about to be overwritten whole: nothing is fetched, and the line is dirty.
   * Can still `MISS` when every way is busy or a fill of that line is under way.
   */
  allocate(index: number, asker: Resumable): number {
    const tag = index >>> this.#shift;
    let line = this.#find(tag);
    if (line >= 0 && !this.#isValid(line)) {
      (this.#waiters[line] as Resumable[]).push(asker);
      return MISS;
    }
    if (line < 0) {
      if (!this.table.isMapped(this.#page(tag))) return UNMAPPED;
      line = this.#victim(tag);
      if (line < 0) return this.#block(tag, asker);
      this.#lines[line * STRIDE + TAG] = tag;
    }
    this.#lines[line * STRIDE + STATE] = VALID | DIRTY;
    this.#use(line);
    return this.#offset(line);
  }

  /** Marks the line at byte-store offset `at` as changed. */
  touch(at: number): void {
    const place = (at - this.#base) / this.lineBytes;
    const line = ((place & this.#setMask) << this.#wayBits) | (place >> this.#setBits);
    this.#lines[line * STRIDE + STATE] = (this.#lines[line * STRIDE + STATE] as number) | DIRTY;
  }

  /** Keeps the line of entry `index` until as many `unpin`s. @returns false when the entry is not in the cache */
  pin(index: number): boolean {
    const line = this.#find(index >>> this.#shift);
    if (line < 0 || !this.#isValid(line)) return false;
    this.#pin(line, 1);
    return true;
  }

  /** Takes back one `pin` of entry `index`. Askers that were turned away are resumed by the next `wake`. */
  unpin(index: number): void {
    const line = this.#find(index >>> this.#shift);
    if (line < 0 || this.#lines[line * STRIDE + PINS] === 0) return;
    this.#pin(line, -1);
    const set = line >> this.#wayBits;
    if (this.#lines[line * STRIDE + PINS] === 0 && (this.#blocked[set] ?? null) !== null) this.#unpinned.push(set);
  }

  /** Resumes the askers of sets in which a line was unpinned. Call it when no context is in use. */
  wake(): void {
    if (this.#unpinned.length === 0 || this.#waking) return;
    this.#waking = true;
    for (let set = this.#unpinned.shift(); set !== undefined; set = this.#unpinned.shift()) this.#unblock(set);
    this.#waking = false;
  }

  /** Whether entry `index` is in the cache and valid. */
  holds(index: number): boolean {
    const line = this.#find(index >>> this.#shift);
    return line >= 0 && this.#isValid(line);
  }

  /** Writes every dirty line whose page number lies in [first, first + count) back and forgets those lines. */
  flushPages(first: number, count: number): void {
    for (let line = 0; line * STRIDE < this.#lines.length; line++) {
      if (!this.#isValid(line)) continue;
      const page = this.#page(this.#lines[line * STRIDE + TAG] as number);
      if (page < first || page >= first + count) continue;
      this.#writeBack(line);
      this.#forget(line);
    }
  }

  /** Forgets everything without writing back (reset). */
  clear(): void {
    this.#forgetAll();
    this.#waiters.fill(null);
    this.#unpinned.length = 0;
    this.#lastTag = -1;
    this.#blocked.fill(null);
    this.#failedTag = -1;
  }

  dmaDone(line: number, ok: boolean): void {
    const waiters = this.#waiters[line] as Resumable[];
    this.#waiters[line] = null;
    const lines = this.#lines;
    const at = line * STRIDE;
    if (ok) {
      lines[at + STATE] = VALID;
      // What the first asker does must not evict the line before the last one has seen it.
      lines[at + PINS] = 1;
    } else {
      this.#failedTag = lines[at + TAG] as number;
      lines[at + STATE] = FREE;
      lines[at + TAG] = -1;
    }
    for (const w of waiters) w.resume();
    if (ok && (lines[at + PINS] as number) > 0) this.#pin(line, -1);
    this.#failedTag = -1;
    this.#unblock(line >> this.#wayBits);
  }

  /** Bytes written back to ICM on eviction; overridable so that a lossy cache can be planted. */
  protected writeBackBytes(): number {
    return this.lineBytes;
  }

  #find(tag: number): number {
    const lines = this.#lines;
    const first = (tag & this.#setMask) << this.#wayBits;
    const end = first + this.#ways;
    for (let i = first; i < end; i++) if (lines[i * STRIDE + TAG] === tag) return i;
    return -1;
  }

  #isValid(line: number): boolean {
    return ((this.#lines[line * STRIDE + STATE] as number) & VALID) !== 0;
  }

  #use(line: number): void {
    this.#lines[line * STRIDE + USED] = this.#clock = (this.#clock + 1) | 0;
  }

  #pin(line: number, change: 1 | -1): void {
    this.#lines[line * STRIDE + PINS] = (this.#lines[line * STRIDE + PINS] as number) + change;
  }

  /** Byte-store offset of a line. Those of one way lie side by side, so that neighbouring entries do. */
  #offset(line: number): number {
    const place = ((line & (this.#ways - 1)) << this.#setBits) | (line >> this.#wayBits);
    return this.#base + place * this.lineBytes;
  }

  #forgetAll(): void {
    this.#lines.fill(0);
    for (let at = TAG; at < this.#lines.length; at += STRIDE) this.#lines[at] = -1;
  }

  #page(tag: number): number {
    return Math.floor((tag * this.lineBytes) / 4096);
  }

  #miss(tag: number, asker: Resumable): number {
    if (tag === this.#failedTag) return FAILED;
    if (!this.table.isMapped(this.#page(tag))) return UNMAPPED;
    const line = this.#victim(tag);
    if (line < 0) return this.#block(tag, asker);
    this.misses++;
    this.#lines[line * STRIDE + TAG] = tag;
    this.#lines[line * STRIDE + STATE] = FILLING;
    this.#use(line);
    this.#waiters[line] = [asker];
    const offset = tag * this.lineBytes;
    const at = this.#offset(line);
    this.dma.read(this.table.physicalHi(offset), this.table.physicalLo(offset), this.lineBytes, at, this, line);
    return MISS;
  }

  #block(tag: number, asker: Resumable): number {
    const set = tag & this.#setMask;
    const blocked = this.#blocked[set];
    if (blocked === null || blocked === undefined) this.#blocked[set] = [asker];
    else blocked.push(asker);
    return MISS;
  }

  /** A way of the set is free again: who was turned away may ask again. */
  #unblock(set: number): void {
    const blocked = this.#blocked[set];
    if (blocked === null || blocked === undefined) return;
    this.#blocked[set] = null;
    for (const w of blocked) w.resume();
  }

  /** Least recently used way that is neither being filled nor pinned, written back and emptied; -1 when there is none. */
  #victim(tag: number): number {
    const lines = this.#lines;
    const first = (tag & this.#setMask) << this.#wayBits;
    let best = -1;
    let oldest = 0;
    for (let i = first; i < first + this.#ways; i++) {
      const at = i * STRIDE;
      if (lines[at + STATE] === FREE) return i;
      if (lines[at + STATE] === FILLING || (lines[at + PINS] as number) > 0) continue;
      const used = (lines[at + USED] as number) >>> 0;
      if (best >= 0 && used >= oldest) continue;
      best = i;
      oldest = used;
    }
    if (best < 0) return -1;
    this.evictions++;
    this.#writeBack(best);
    this.#forget(best);
    return best;
  }

  #forget(line: number): void {
    const at = line * STRIDE;
    if (this.#lines[at + TAG] === this.#lastTag) this.#lastTag = -1;
    this.#lines[at + TAG] = -1;
    this.#lines[at + STATE] = FREE;
    this.#lines[at + PINS] = 0;
  }

  #writeBack(line: number): void {
    const state = this.#lines[line * STRIDE + STATE] as number;
    if ((state & DIRTY) === 0) return;
    this.#lines[line * STRIDE + STATE] = state & ~DIRTY;
    const offset = (this.#lines[line * STRIDE + TAG] as number) * this.lineBytes;
    const n = this.writeBackBytes();
    if (n === 0) return;
    this.dma.writeCopy(this.table.physicalHi(offset), this.table.physicalLo(offset), n, this.#offset(line));
  }
}
