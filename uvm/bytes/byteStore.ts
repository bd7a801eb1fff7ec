/**
 * The byte store: one linear memory that holds every byte of a run, named by integer offset.
 *
 * Pages of host memory, packet blocks and scratch regions all live here. Everybody else keeps offsets, never views:
 * that makes a byte range free to pass around, and lets copy, compare, CRC and fill run as compiled WebAssembly (or,
 * where there is none, as TypeScript with the same results).
 *
 * Layout, upwards: what the implementation needs, then regions (`alloc`) and pages (`allocPage`) mixed as they were
 * asked for; regions that fit go into the gap that the alignment of pages has left. Just below 2 GiB pages jump over a
 * reserve, so that regions always find an offset that is a positive 32-bit integer; only pages lie above 2 GiB.
 */

import type { ByteEngine } from './byteEngine.ts';
import { createJsEngine } from './jsEngine.ts';
import { createWasmEngine } from './wasmEngine.ts';

/** Size and alignment of a page in bytes. */
export const PAGE_BYTES = 4096;

const MIB = 2 ** 20;
const TWO_31 = 2 ** 31;
const MAX_BYTES = 2 ** 32;
const INITIAL_BYTES = 16 * MIB;
/** Smallest step of growth; above 16 times this the memory grows by a quarter. */
const GROWTH_BYTES = 16 * MIB;
/** Left for regions below 2 GiB when pages have reached that far. */
const REGION_RESERVE = 256 * MIB;
/** Kept free at both ends: compiled code may read up to 16 bytes beyond a range. */
const GUARD_BYTES = 64;

/** The store is full, or the machine gives no more memory. */
export class ByteStoreFullError extends RangeError {
  constructor(what: string, limit: number, cause?: unknown) {
    super(
      `byte store: no room for ${what}; the limit is ${limit / MIB} MiB. ` +
        'Lower the number of QPs or the amount of data, or raise maxBytes (at most 4 GiB)',
      { cause },
    );
  }
}

/** How and how large a store is made. */
export interface ByteStoreOptions {
  /** Default: WebAssembly where the host offers it with SIMD, else the fallback in TypeScript. */
  readonly implementation?: 'wasm' | 'js';
  /** Upper limit of the memory in bytes, default and maximum 2^32. */
  readonly maxBytes?: number;
}

/** @public */
export class ByteStore {
  /** All bytes. REPLACED when the memory grows: fetch it again after anything that allocates. */
  u8: Uint8Array;
  /** The same as 32-bit words of the machine's (little-endian) order; index = offset >>> 2. Replaced like `u8`. */
  i32: Int32Array;
  readonly implementation: 'wasm' | 'js';
  readonly maxBytes: number;
  /** Pages allocated and not freed. */
  pagesInUse = 0;

  readonly #engine: ByteEngine;
  // Fields that start as what they will be are kept as that: doubles.
  /** End of what regions and pages have taken from the bottom; stops for good where the reserve begins. */
  #top = Number.NaN;
  /** The same for pages above 2 GiB; 0 until they get there. */
  #highTop = Number.NaN;
  /** Unused bytes below a page, for small regions. */
  #gap = Number.NaN;
  #gapEnd = Number.NaN;
  /** Regions below this offset were handed out before, in this run or an earlier one, and may hold old bytes. */
  #touched = Number.NaN;
  /** Numbers (offset / 4096) of free pages, a stack. */
  #freePages = new Int32Array(1024);
  #freeCount = 0;

  // The operations as own fields, so that a call needs no look-up in the engine.
  readonly #copy: ByteEngine['copy'];
  readonly #zero: ByteEngine['zero'];
  readonly #equal: ByteEngine['equal'];
  readonly #firstDifference: ByteEngine['firstDifference'];
  readonly #crc32: ByteEngine['crc32'];
  readonly #fillSeeded: ByteEngine['fillSeeded'];
  readonly #equalSeeded: ByteEngine['equalSeeded'];
  readonly #firstDifferenceSeeded: ByteEngine['firstDifferenceSeeded'];
  readonly #hashInto: ByteEngine['hashInto'];
  readonly #hashWords: ByteEngine['hashWords'];
  readonly #hashMessage: ByteEngine['hashMessage'];
  readonly #copyHashed: ByteEngine['copyHashed'];
  readonly #fillHashed: ByteEngine['fillHashed'];

  /**
   * Makes a store of 16 MiB that grows on demand. A process should keep one store and `reset` it between runs.
   * @throws RangeError when `maxBytes` is not between 1 MiB and 4 GiB; an error of the host when WebAssembly is asked
   *   for by name and missing.
   */
  static create(options: ByteStoreOptions = {}): ByteStore {
    const maxBytes = options.maxBytes ?? MAX_BYTES;
    if (!(maxBytes >= MIB && maxBytes <= MAX_BYTES)) {
      throw new RangeError(`ByteStore: maxBytes is ${maxBytes}; it must be between 2^20 and 2^32`);
    }
    return new ByteStore(createEngine(options.implementation, Math.min(INITIAL_BYTES, maxBytes), maxBytes), maxBytes);
  }

  private constructor(engine: ByteEngine, maxBytes: number) {
    this.implementation = engine.implementation;
    this.maxBytes = Math.floor(maxBytes / PAGE_BYTES) * PAGE_BYTES;
    this.#engine = engine;
    this.u8 = new Uint8Array(engine.buffer());
    this.i32 = new Int32Array(engine.buffer());
    this.#top = firstOffset(engine);
    this.#touched = this.#top;
    this.#highTop = 0;
    this.#gap = 0;
    this.#gapEnd = 0;
    this.#copy = engine.copy;
    this.#zero = engine.zero;
    this.#equal = engine.equal;
    this.#firstDifference = engine.firstDifference;
    this.#crc32 = engine.crc32;
    this.#fillSeeded = engine.fillSeeded;
    this.#equalSeeded = engine.equalSeeded;
    this.#firstDifferenceSeeded = engine.firstDifferenceSeeded;
    this.#hashInto = engine.hashInto;
    this.#hashWords = engine.hashWords;
    this.#hashMessage = engine.hashMessage;
    this.#copyHashed = engine.copyHashed;
    this.#fillHashed = engine.fillHashed;
  }

  /**
   * Takes a region of zeroed bytes for the rest of the run.
   * @param align power of two, default 64
   * @returns its offset, below 2^31
   * @throws ByteStoreFullError when it does not fit below 2 GiB or `maxBytes`
   */
  alloc(bytes: number, align = 64): number {
    const inGap = roundUp(this.#gap, align);
    if (bytes > 0 && inGap + bytes <= this.#gapEnd) return this.#fromGap(inGap, bytes);
    const off = roundUp(this.#top, align);
    const end = off + bytes;
    if (!(bytes >= 0) || end > TWO_31) throw new ByteStoreFullError(`a region of ${bytes} bytes`, TWO_31);
    this.#ensure(end, `a region of ${bytes} bytes`);
    this.#top = end;
    if (off < this.#touched) this.zero(off, Math.min(end, this.#touched) - off);
    if (end > this.#touched) this.#touched = end;
    return off;
  }

  /**
   * Takes a page of 4096 bytes, aligned to its size. Its content is undefined, and may differ between two runs of one
   * seed: write before reading.
   * @returns its offset, up to 2^32 - 4096
   * @throws ByteStoreFullError beyond `maxBytes`
   */
  allocPage(): number {
    this.pagesInUse++;
    if (this.#freeCount > 0) return ((this.#freePages[--this.#freeCount] as number) >>> 0) * PAGE_BYTES;
    return this.#newPage();
  }

  /** Returns a page. The next `allocPage` may hand it out again. */
  freePage(offset: number): void {
    if (this.#freeCount === this.#freePages.length) {
      const wider = new Int32Array(2 * this.#freeCount);
      wider.set(this.#freePages);
      this.#freePages = wider;
    }
    this.#freePages[this.#freeCount++] = offset / PAGE_BYTES;
    this.pagesInUse--;
  }

  /** Forgets everything allocated; all offsets become invalid. The memory stays with the process for the next run. */
  reset(): void {
    this.#top = firstOffset(this.#engine);
    this.#highTop = 0;
    this.#gap = 0;
    this.#gapEnd = 0;
    this.#freeCount = 0;
    this.pagesInUse = 0;
  }

  /** Copies n bytes. The ranges must not overlap. */
  copy(dst: number, src: number, n: number): void {
    this.#copy(dst | 0, src | 0, n | 0);
  }

  /** Sets n bytes to 0. */
  zero(off: number, n: number): void {
    this.#zero(off | 0, n | 0);
  }

  /** True when both ranges of n bytes hold the same bytes. */
  equal(a: number, b: number, n: number): boolean {
    return this.#equal(a | 0, b | 0, n | 0) !== 0;
  }

  /** Index of the first byte in which the ranges differ, or -1. */
  firstDifference(a: number, b: number, n: number): number {
    return this.#firstDifference(a | 0, b | 0, n | 0);
  }

  /**
   * CRC-32 of IEEE 802.3 in zlib's convention: start with 0, chain by passing the result on.
   * @returns an unsigned 32-bit integer
   */
  crc32(crc: number, off: number, n: number): number {
    return this.#crc32(crc | 0, off | 0, n | 0) >>> 0;
  }

  /**
   * Writes the seeded contents named by `key` from `position` on. The byte at (key, position) depends on nothing else,
   * so a range may be made in any pieces and at any alignment. Positions count modulo 2^32.
   */
  fillSeeded(key: number, position: number, off: number, n: number): void {
    this.#fillSeeded(key | 0, position | 0, off | 0, n | 0);
  }

  /** True when n bytes at `off` are the seeded contents of (key, position). */
  equalSeeded(key: number, position: number, off: number, n: number): boolean {
    return this.#equalSeeded(key | 0, position | 0, off | 0, n | 0) !== 0;
  }

  /** Index of the first byte that is not the seeded content, or -1. */
  firstDifferenceSeeded(key: number, position: number, off: number, n: number): number {
    return this.#firstDifferenceSeeded(key | 0, position | 0, off | 0, n | 0);
  }

  /** Folds the length and bytes of a range into the 16-byte state at offset `state`. Not cryptographic. */
  hashInto(state: number, off: number, n: number): void {
    this.#hashInto(state | 0, off | 0, n | 0);
  }

  /** Folds five 32-bit words into the 16-byte state at offset `state`. */
  hashWords(state: number, a: number, b: number, c: number, d: number, e: number): void {
    this.#hashWords(state | 0, a | 0, b | 0, c | 0, d | 0, e | 0);
  }

  /** Folds five 32-bit words, the number n and n bytes into the state: `hashWords` when n is 0. */
  hashMessage(state: number, a: number, b: number, c: number, d: number, e: number, off: number, n: number): void {
    this.#hashMessage(state | 0, a | 0, b | 0, c | 0, d | 0, e | 0, off | 0, n | 0);
  }

  /** `hashMessage` and `copy` of the same n bytes in one pass over them: most of what is recorded is also moved. */
  copyHashed(
    state: number,
    a: number,
    b: number,
    c: number,
    d: number,
    e: number,
    dst: number,
    src: number,
    n: number,
  ): void {
    this.#copyHashed(state | 0, a | 0, b | 0, c | 0, d | 0, e | 0, dst | 0, src | 0, n | 0);
  }

  /** `fillSeeded` of n bytes and then their `hashMessage`, without reading them again. */
  fillHashed(
    state: number,
    a: number,
    b: number,
    c: number,
    d: number,
    e: number,
    key: number,
    position: number,
    dst: number,
    n: number,
  ): void {
    this.#fillHashed(state | 0, a | 0, b | 0, c | 0, d | 0, e | 0, key | 0, position | 0, dst | 0, n | 0);
  }

  /** Small regions that come between pages would leave most of a page unused each. */
  #fromGap(off: number, bytes: number): number {
    this.#gap = off + bytes;
    this.zero(off, bytes);
    return off;
  }

  #newPage(): number {
    const low = this.#highTop === 0 ? roundUp(this.#top, PAGE_BYTES) : 0;
    if (this.#highTop === 0 && low + PAGE_BYTES <= TWO_31 - REGION_RESERVE) {
      this.#ensure(low + PAGE_BYTES, 'a page');
      if (low - this.#top > this.#gapEnd - this.#gap) {
        this.#gap = this.#top;
        this.#gapEnd = low;
      }
      this.#top = low + PAGE_BYTES;
      if (this.#top > this.#touched) this.#touched = this.#top;
      return low;
    }
    const high = this.#highTop === 0 ? TWO_31 : this.#highTop;
    this.#ensure(high + PAGE_BYTES, 'a page');
    this.#highTop = high + PAGE_BYTES;
    return high;
  }

  /** Grows the memory to hold `end` and the guard behind it. */
  #ensure(end: number, what: string): void {
    const needed = end + GUARD_BYTES;
    if (needed <= this.u8.length) return;
    if (needed > this.maxBytes) throw new ByteStoreFullError(what, this.maxBytes);
    const wanted = Math.max(needed, this.u8.length + Math.max(GROWTH_BYTES, this.u8.length / 4));
    try {
      this.#engine.grow(Math.min(wanted, this.maxBytes));
    } catch (cause) {
      throw new ByteStoreFullError(what, this.u8.length, cause);
    }
    this.u8 = new Uint8Array(this.#engine.buffer());
    this.i32 = new Int32Array(this.#engine.buffer());
  }
}

function createEngine(implementation: 'wasm' | 'js' | undefined, initial: number, max: number): ByteEngine {
  if (implementation === 'js') return createJsEngine(initial);
  if (implementation === 'wasm') return createWasmEngine(initial, max);
  try {
    return createWasmEngine(initial, max);
  } catch {
    return createJsEngine(initial);
  }
}

function firstOffset(engine: ByteEngine): number {
  return roundUp(engine.base + GUARD_BYTES, GUARD_BYTES);
}

function roundUp(value: number, align: number): number {
  return Math.ceil(value / align) * align;
}
