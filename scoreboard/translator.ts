/**
 * Where virtual pages lie: their seed keys and their places in the store, found by window and page. The map of a run
 * never changes, so what was found once stays right; and so does the place of a page once it is stored. Of a page that
 * is not, it is asked for each time.
 *
 * Entries of neighbouring pages are neighbours: the pages of one queue pair's data share a few cache lines.
 */

import type { ScoreboardMemory } from './scoreboardMemory.ts';
import { PAGE_SHIFT } from './scoreboardMemory.ts';
import type { Windows } from './windows.ts';
import { WINDOW_PAGE_MASK } from './windows.ts';
import { widened } from '../uvm/bytes/widened.ts';

/** Entries are made for this many pages at once, as a power of two. */
const CHUNK_LOG2 = 3;
const CHUNK_MASK = (1 << CHUNK_LOG2) - 1;
// Slot of the directory: window + 1 (0 = free), number of the chunk in its window, index in `#words` of its first entry.
const SLOT = 3;
// Entry: physical upper half; physical page with host and `HAS_*` bits; seed key; place in the store.
const ENTRY_LOG2 = 2;
const CHUNK_WORDS = 1 << (CHUNK_LOG2 + ENTRY_LOG2);
const PAGE_FIELD = 0xfffff;
const HOST_SHIFT = 20;
const HOST_FIELD = 0xff;
const HAS_ADDRESS = 1 << 28;
const HAS_KEY = 1 << 29;
const HAS_PLACE = 1 << 30;

export class Translator {
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
  /** The first chunk is never used. */
  #words = new Int32Array(16 * CHUNK_WORDS);
  #end = CHUNK_WORDS;

  constructor(memory: ScoreboardMemory, windows: Windows) {
    this.#memory = memory;
    this.#windows = windows;
  }

  /** The entry of page `page` (address bits 31:12), which lies in `window`. Stays valid. */
  entry(window: number, page: number): number {
    const part = page & WINDOW_PAGE_MASK;
    const chunk = this.#chunk(window, part >> CHUNK_LOG2);
    const at = chunk + ((part & CHUNK_MASK) << ENTRY_LOG2);
    if (((this.#words[at + 1] as number) & HAS_ADDRESS) === 0) this.#translate(at, window, page);
    return at;
  }

  /** Key of the seeded bytes of an entry's page. */
  key(at: number): number {
    const words = this.#words;
    const bits = words[at + 1] as number;
    if ((bits & HAS_KEY) === 0) {
      words[at + 2] = this.#memory.pageKey(hostOf(bits), words[at] as number, bits & PAGE_FIELD) | 0;
      words[at + 1] = bits | HAS_KEY;
    }
    return words[at + 2] as number;
  }

  /** Byte-store offset of an entry's page, -1 when nobody has written it. */
  place(at: number): number {
    const words = this.#words;
    const bits = words[at + 1] as number;
    if ((bits & HAS_PLACE) !== 0) return (words[at + 3] as number) >>> 0;
    const offset = this.#memory.page(hostOf(bits), words[at] as number, bits & PAGE_FIELD);
    if (offset >= 0) {
      words[at + 3] = offset | 0;
      words[at + 1] = bits | HAS_PLACE;
    }
    return offset;
  }

  #translate(at: number, window: number, page: number): void {
    const windows = this.#windows;
    const memory = this.#memory;
    const host = windows.host(window);
    memory.translate(host, windows.process(window), windows.hi(window), page << PAGE_SHIFT);
    this.#words[at] = memory.physHi;
    this.#words[at + 1] = (memory.physLo >>> PAGE_SHIFT) | (host << HOST_SHIFT) | HAS_ADDRESS;
  }

  #chunk(window: number, part: number): number {
    if (window === this.#lastWindow && part === this.#lastPart) return this.#lastChunk;
    const slots = this.#slots;
    let i = slotOf(window, part) & this.#mask;
    let at = i * SLOT;
    while (slots[at] !== 0 && (slots[at] !== window + 1 || slots[at + 1] !== part)) {
      i = (i + 1) & this.#mask;
      at = i * SLOT;
    }
    const chunk = slots[at] === 0 ? this.#add(at, window, part) : (slots[at + 2] as number);
    this.#lastWindow = window;
    this.#lastPart = part;
    this.#lastChunk = chunk;
    return chunk;
  }

  /** A new chunk, entered in the free slot at `at`. */
  #add(at: number, window: number, part: number): number {
    const chunk = this.#end;
    this.#end += CHUNK_WORDS;
    if (this.#end > this.#words.length) this.#words = widened(this.#words, this.#end);
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
      let i = slotOf((old[from] as number) - 1, old[from + 1] as number) & this.#mask;
      while (this.#slots[i * SLOT] !== 0) i = (i + 1) & this.#mask;
      this.#slots.set(old.subarray(from, from + SLOT), i * SLOT);
    }
  }
}

function slotOf(window: number, part: number): number {
  const x = Math.imul(window, 0x9e3779b1) + Math.imul(part, 0x85ebca6b);
  return x ^ (x >>> 15);
}

function hostOf(bits: number): number {
  return (bits >>> HOST_SHIFT) & HOST_FIELD;
}
