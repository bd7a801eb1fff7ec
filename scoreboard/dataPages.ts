/**
 * What is known of the virtual pages of data, found by window and page: where they lie, the key of the bytes they held
 * before their first write, their place in the store, and the block of their verified ranges (`VerifiedMap`). The map
 * of a run never changes, so what was found once stays right; and so does the place of a page once it is stored. Of a
 * page that is not, it is asked for each time.
 *
 * Entries of neighbouring pages are neighbours: the pages of one queue pair's data share a few cache lines.
 */

import type { ScoreboardMemory } from './scoreboardMemory.ts';
import { PAGE_SHIFT } from './scoreboardMemory.ts';
import type { Windows } from './windows.ts';
import { WINDOW_PAGE_MASK } from './windows.ts';
import { widened } from '../uvm/bytes/widened.ts';

// Fields of a page, added to its offset. Before them: physical upper half; physical page with host and `HAS_ADDRESS`.
/** Key of the seeded bytes. */
export const P_KEY = 2;
/** Byte-store offset as a signed integer, `NOT_STORED` as long as nobody is known to have written the page. */
export const P_PLACE = 3;
/** Verified ranges: offset of their block, records in it, records that it has room for, and a note on them. */
export const P_BLOCK = 4;
export const P_USED = 5;
export const P_ROOM = 6;
export const P_NOTE = 7;
/** Fields of a page, as a power of two. */
export const PAGE_STRIDE_LOG2 = 3;

/** Null for the offset of a page, and for its place in the store. */
export const NO_PAGE = 0;
export const NOT_STORED = 0;

/** Entries are made for this many pages at once, as a power of two. */
export const CHUNK_LOG2 = 3;
const CHUNK_MASK = (1 << CHUNK_LOG2) - 1;
const CHUNK_WORDS = 1 << (CHUNK_LOG2 + PAGE_STRIDE_LOG2);
// Slot of the directory: window + 1 (0 = free), number of the chunk in its window, index in `words` of its first entry.
const SLOT = 3;
const PAGE_FIELD = 0xfffff;
const HOST_SHIFT = 20;
const HOST_FIELD = 0xff;
const HAS_ADDRESS = 1 << 28;

export class DataPages {
  /** All fields. Replaced when it grows. The first chunk is never used. */
  words = new Int32Array(16 * CHUNK_WORDS);
  readonly #memory: ScoreboardMemory;
  readonly #windows: Windows;
  /** Chunks by window and number, in an open-addressing table. */
  #slots = new Int32Array(1024 * SLOT);
  #mask = 1023;
  #chunks = 0;
  /** The chunk found last. */
  #lastWindow = -1;
  #lastPart = -1;
  #lastChunk = 0;
  #end = CHUNK_WORDS;

  constructor(memory: ScoreboardMemory, windows: Windows) {
    this.#memory = memory;
    this.#windows = windows;
  }

  /** Makes room for groups of neighbouring pages that are to come. */
  reserve(groups: number): void {
    const words = (1 + groups) * CHUNK_WORDS;
    if (words > this.words.length) this.words = widened(this.words, words);
  }

  /** The page that holds an address, whose window is opened if it is new. Stays valid. */
  at(host: number, process: number, hi: number, page: number): number {
    return this.entry(this.#windows.open(host, process, hi, page), page);
  }

  /** The page `page` of `window`, or of its 4 GiB (address bits 31:12). Stays valid. */
  entry(window: number, page: number): number {
    const part = page & WINDOW_PAGE_MASK;
    const chunk = this.#chunk(window, part >> CHUNK_LOG2);
    const at = chunk + ((part & CHUNK_MASK) << PAGE_STRIDE_LOG2);
    if (((this.words[at + 1] as number) & HAS_ADDRESS) === 0) this.#translate(at, window, part);
    return at;
  }

  /** As `at`, by an entry of another page of the same aligned group of 2^CHUNK_LOG2; `NO_PAGE` before `at` found it. */
  beside(entry: number, page: number): number {
    const at = (entry & -CHUNK_WORDS) | ((page & CHUNK_MASK) << PAGE_STRIDE_LOG2);
    return ((this.words[at + 1] as number) & HAS_ADDRESS) === 0 ? NO_PAGE : at;
  }

  /** As `entry`, or `NO_PAGE` when nothing was ever asked of the page and its neighbours. */
  find(window: number, page: number): number {
    const part = page & WINDOW_PAGE_MASK;
    const slot = this.#slot(window, part >> CHUNK_LOG2);
    return this.#slots[slot] === 0 ? NO_PAGE : this.entry(window, page);
  }

  host(at: number): number {
    return hostOf(this.words[at + 1] as number);
  }

  /** Key of the seeded bytes of a page. */
  key(at: number): number {
    return this.words[at + P_KEY] as number;
  }

  /** Byte-store offset of a page, `NOT_STORED` when nobody has written it. */
  place(at: number): number {
    const known = this.words[at + P_PLACE] as number;
    return (known === NOT_STORED ? this.#askPlace(at) : known) >>> 0;
  }

  #askPlace(at: number): number {
    const words = this.words;
    const bits = words[at + 1] as number;
    const offset = this.#memory.page(hostOf(bits), words[at] as number, bits & PAGE_FIELD);
    if (offset < 0) return NOT_STORED;
    words[at + P_PLACE] = offset | 0;
    return offset;
  }

  /** @param part number of the page in its window */
  #translate(at: number, window: number, part: number): void {
    const windows = this.#windows;
    const memory = this.#memory;
    const words = this.words;
    const host = windows.host(window);
    const page = windows.firstPage(window) + part;
    memory.translate(host, windows.process(window), windows.hi(window), page << PAGE_SHIFT);
    const hi = memory.physHi;
    const physPage = memory.physLo >>> PAGE_SHIFT;
    words[at] = hi;
    words[at + 1] = physPage | (host << HOST_SHIFT) | HAS_ADDRESS;
    words[at + P_KEY] = memory.pageKey(host, hi, physPage) | 0;
  }

  #chunk(window: number, part: number): number {
    if (window === this.#lastWindow && part === this.#lastPart) return this.#lastChunk;
    const at = this.#slot(window, part);
    const chunk = this.#slots[at] === 0 ? this.#add(at, window, part) : (this.#slots[at + 2] as number);
    this.#lastWindow = window;
    this.#lastPart = part;
    this.#lastChunk = chunk;
    return chunk;
  }

  /** Index of the slot of a chunk, or of the free one where it belongs. */
  #slot(window: number, part: number): number {
    const slots = this.#slots;
    const mask = this.#mask;
    let i = hash(window, part) & mask;
    let at = i * SLOT;
    while (slots[at] !== 0 && (slots[at] !== window + 1 || slots[at + 1] !== part)) {
      i = (i + 1) & mask;
      at = i * SLOT;
    }
    return at;
  }

  /** A new chunk, entered in the free slot at `at`. */
  #add(at: number, window: number, part: number): number {
    const chunk = this.#end;
    this.#end += CHUNK_WORDS;
    if (this.#end > this.words.length) this.words = widened(this.words, this.#end);
    const slots = this.#slots;
    slots[at] = window + 1;
    slots[at + 1] = part;
    slots[at + 2] = chunk;
    if (++this.#chunks * 2 > this.#mask) this.#rehash();
    return chunk;
  }

  #rehash(): void {
    const old = this.#slots;
    this.#mask = this.#mask * 2 + 1;
    this.#slots = new Int32Array((this.#mask + 1) * SLOT);
    for (let from = 0; from < old.length; from += SLOT) {
      if (old[from] === 0) continue;
      const at = this.#slot((old[from] as number) - 1, old[from + 1] as number);
      this.#slots.set(old.subarray(from, from + SLOT), at);
    }
  }
}

function hash(window: number, part: number): number {
  const x = Math.imul(window, 0x9e3779b1) + Math.imul(part, 0x85ebca6b);
  return x ^ (x >>> 15);
}

function hostOf(bits: number): number {
  return (bits >>> HOST_SHIFT) & HOST_FIELD;
}
