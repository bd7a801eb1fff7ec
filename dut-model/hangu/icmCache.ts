/**
 * A write-back cache of table entries that live in ICM, host memory mapped by MAP_ICM (hangu-rtl-facts.md 3.1):
 * set associative, least recently used, misses outstanding per line, the missed request resumed after the fill.
 *
 * A lookup either hits and returns a line at once, or starts the fill, remembers who asked and returns `MISS`; the
 * asker is resumed when the line is there and looks it up again. Lines hold the entry's bytes as it is stored in ICM,
 * so an entry that was evicted and read again has travelled through host memory both ways.
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

const FREE = 0;
const FILLING = 1;
const VALID = 2;

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
  /** log2 of the entries per line. */
  readonly #shift: number;
  readonly #tag: Int32Array;
  readonly #state: Uint8Array;
  readonly #dirty: Uint8Array;
  /** When a line was used last, counted modulo 2^32: after a wrap some choices are merely less good. */
  readonly #used: Uint32Array;
  readonly #waiters: (Resumable[] | null)[];
  /** Per set: askers that found every way busy with a fill. */
  readonly #blocked: (Resumable[] | null)[];
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
    this.#shift = Math.log2(entriesPerLine);
    this.lineBytes = table.entryBytes * entriesPerLine;
    this.#base = bytes.alloc(lines * this.lineBytes, 64);
    this.#tag = new Int32Array(lines).fill(-1);
    this.#state = new Uint8Array(lines);
    this.#dirty = new Uint8Array(lines);
    this.#used = new Uint32Array(lines);
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
      if (this.#state[line] === VALID) {
        this.hits++;
        this.#used[line] = this.#clock = (this.#clock + 1) | 0;
        this.#lastTag = tag;
        this.#lastAt = this.#base + line * this.lineBytes;
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
    if (line >= 0 && this.#state[line] === FILLING) {
      (this.#waiters[line] as Resumable[]).push(asker);
      return MISS;
    }
    if (line < 0) {
      if (!this.table.isMapped(this.#page(tag))) return UNMAPPED;
      line = this.#victim(tag);
      if (line < 0) return this.#block(tag, asker);
      this.#tag[line] = tag;
      this.#state[line] = VALID;
    }
    this.#dirty[line] = 1;
    this.#used[line] = this.#clock = (this.#clock + 1) | 0;
    return this.#base + line * this.lineBytes;
  }

  /** Marks the line at byte-store offset `at` as changed. */
  touch(at: number): void {
    this.#dirty[(at - this.#base) / this.lineBytes] = 1;
  }

  /** Whether entry `index` is in the cache and valid. */
  holds(index: number): boolean {
    const line = this.#find(index >>> this.#shift);
    return line >= 0 && this.#state[line] === VALID;
  }

  /** Writes every dirty line whose page number lies in [first, first + count) back and forgets those lines. */
  flushPages(first: number, count: number): void {
    for (let line = 0; line < this.#tag.length; line++) {
      if (this.#state[line] !== VALID) continue;
      const page = this.#page(this.#tag[line] as number);
      if (page < first || page >= first + count) continue;
      this.#writeBack(line);
      this.#forget(line);
    }
  }

  /** Forgets everything without writing back (reset). */
  clear(): void {
    this.#tag.fill(-1);
    this.#state.fill(FREE);
    this.#dirty.fill(0);
    this.#waiters.fill(null);
    this.#lastTag = -1;
    this.#blocked.fill(null);
    this.#failedTag = -1;
  }

  dmaDone(line: number, ok: boolean): void {
    const waiters = this.#waiters[line] as Resumable[];
    this.#waiters[line] = null;
    if (ok) this.#state[line] = VALID;
    else {
      this.#failedTag = this.#tag[line] as number;
      this.#state[line] = FREE;
      this.#tag[line] = -1;
    }
    for (const w of waiters) w.resume();
    this.#failedTag = -1;
    this.#unblock(Math.floor(line / this.#ways));
  }

  /** Bytes written back to ICM on eviction; overridable so that a lossy cache can be planted. */
  protected writeBackBytes(): number {
    return this.lineBytes;
  }

  #find(tag: number): number {
    const first = (tag & this.#setMask) * this.#ways;
    const end = first + this.#ways;
    for (let i = first; i < end; i++) if (this.#tag[i] === tag) return i;
    return -1;
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
    this.#tag[line] = tag;
    this.#state[line] = FILLING;
    this.#dirty[line] = 0;
    this.#used[line] = this.#clock = (this.#clock + 1) | 0;
    this.#waiters[line] = [asker];
    const offset = tag * this.lineBytes;
    const at = this.#base + line * this.lineBytes;
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

  /** Least recently used way that is not being filled, written back and emptied; -1 when all are. */
  #victim(tag: number): number {
    const first = (tag & this.#setMask) * this.#ways;
    let best = -1;
    for (let i = first; i < first + this.#ways; i++) {
      if (this.#state[i] === FREE) return i;
      if (this.#state[i] === FILLING) continue;
      if (best < 0 || (this.#used[i] as number) < (this.#used[best] as number)) best = i;
    }
    if (best < 0) return -1;
    this.evictions++;
    this.#writeBack(best);
    this.#forget(best);
    return best;
  }

  #forget(line: number): void {
    if (this.#tag[line] === this.#lastTag) this.#lastTag = -1;
    this.#state[line] = FREE;
    this.#tag[line] = -1;
  }

  #writeBack(line: number): void {
    if (this.#dirty[line] === 0) return;
    this.#dirty[line] = 0;
    const offset = (this.#tag[line] as number) * this.lineBytes;
    const n = this.writeBackBytes();
    if (n === 0) return;
    const at = this.#base + line * this.lineBytes;
    this.dma.writeCopy(this.table.physicalHi(offset), this.table.physicalLo(offset), n, at);
  }
}
