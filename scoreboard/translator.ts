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

/** Entries are made for this many pages at once, as a power of two. */
const CHUNK_LOG2 = 7;
const CHUNK_MASK = (1 << CHUNK_LOG2) - 1;
const CHUNKS = (WINDOW_PAGE_MASK + 1) >> CHUNK_LOG2;
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
  /** By window: index in `#words` of each chunk's first entry, 0 = none. */
  readonly #directories: Int32Array[] = [];
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
    if (window >= this.#directories.length) this.#openTo(window);
    const chunk = (this.#directories[window] as Int32Array)[part >> CHUNK_LOG2] as number;
    const at = (chunk > 0 ? chunk : this.#grow(window, part)) + ((part & CHUNK_MASK) << ENTRY_LOG2);
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

  /** Gives every window up to this one a directory; windows are numbered as they come into use. */
  #openTo(window: number): void {
    while (this.#directories.length <= window) this.#directories.push(new Int32Array(CHUNKS));
  }

  #grow(window: number, part: number): number {
    const chunk = this.#end;
    this.#end += CHUNK_WORDS;
    if (this.#end > this.#words.length) {
      const wider = new Int32Array(2 * this.#words.length);
      wider.set(this.#words);
      this.#words = wider;
    }
    (this.#directories[window] as Int32Array)[part >> CHUNK_LOG2] = chunk;
    return chunk;
  }
}

function hostOf(bits: number): number {
  return (bits >>> HOST_SHIFT) & HOST_FIELD;
}
