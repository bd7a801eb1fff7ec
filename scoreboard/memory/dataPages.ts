/**
 * What is known of the virtual pages of data, found by address: where they lie, the key of the bytes they held
 * before their first write, their place in the store, and the block of their verified ranges (`VerifiedMap`). The map
 * of a run never changes, so what was found once stays right; and so does the place of a page once it is stored. Of a
 * page that is not, it is asked for each time.
 *
 * Entries of neighbouring pages are neighbours: the pages of one queue pair's data share a few cache lines.
 */

import { hostOf, processOf, spaceOf } from '../model/messages.ts';
import type { ScoreboardMemory } from './scoreboardMemory.ts';
import { PAGE_SHIFT } from './scoreboardMemory.ts';
import { Windows } from './ranges/windows.ts';
import { widened } from '../../uvm/bytes/widened.ts';

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
export const CHUNK_LOG2 = 2;
const CHUNK_MASK = (1 << CHUNK_LOG2) - 1;
const CHUNK_WORDS_LOG2 = CHUNK_LOG2 + PAGE_STRIDE_LOG2;
const CHUNK_WORDS = 1 << CHUNK_WORDS_LOG2;
// Slot of the directory: upper address half, number of the chunk in its 4 GiB, host and process as of `spaceOf`, index
// in `words` of the chunk's first entry (0 = free).
const SLOT_LOG2 = 2;
const SPACE = 2;
const CHUNK = 3;
const PAGE_FIELD = 0xfffff;
const HOST_SHIFT = 20;
const HOST_FIELD = 0xff;
const HAS_ADDRESS = 1 << 28;

export class DataPages {
  /** All fields. Replaced when it grows. The first chunk is never used. */
  words = new Int32Array(16 * CHUNK_WORDS);
  readonly #memory: ScoreboardMemory;
  readonly #windows = new Windows();
  /** Window of each chunk. */
  #windowOf = new Int32Array(16);
  /** Chunks by address, in an open-addressing table. */
  #slots = new Int32Array(1024 << SLOT_LOG2);
  #mask = 1023;
  #chunks = 0;
  #end = CHUNK_WORDS;

  constructor(memory: ScoreboardMemory) {
    this.#memory = memory;
  }

  /** Makes room for groups of neighbouring pages that are to come. */
  reserve(groups: number): void {
    const words = (1 + groups) * CHUNK_WORDS;
    if (words > this.words.length) this.words = widened(this.words, words);
    let slots = this.#mask + 1;
    while (2 * groups >= slots) slots *= 2;
    if (slots > this.#mask + 1) this.#rehash(slots);
  }

  /** The page `page` (address bits 31:12) of `hi`. Stays valid. */
  at(host: number, process: number, hi: number, page: number): number {
    const space = spaceOf(host, process);
    const part = page >>> CHUNK_LOG2;
    const slot = this.#slot(space, hi, part);
    const known = this.#slots[slot + CHUNK] as number;
    const chunk = known !== 0 ? known : this.#add(slot, space, hi, part);
    const at = chunk + ((page & CHUNK_MASK) << PAGE_STRIDE_LOG2);
    if (((this.words[at + 1] as number) & HAS_ADDRESS) === 0) this.#translate(at, host, process, hi, page);
    return at;
  }

  /** As `at`, by an entry of another page of the same aligned group of 2^CHUNK_LOG2; `NO_PAGE` before `at` found it. */
  beside(entry: number, page: number): number {
    const at = (entry & -CHUNK_WORDS) | ((page & CHUNK_MASK) << PAGE_STRIDE_LOG2);
    return ((this.words[at + 1] as number) & HAS_ADDRESS) === 0 ? NO_PAGE : at;
  }

  /** As `at`, or `NO_PAGE` when nothing was ever asked of the page and its neighbours. */
  find(host: number, process: number, hi: number, page: number): number {
    const slot = this.#slot(spaceOf(host, process), hi, page >>> CHUNK_LOG2);
    return this.#slots[slot + CHUNK] === 0 ? NO_PAGE : this.at(host, process, hi, page);
  }

  /** Every page of a host that was asked for, for messages. */
  *of(host: number): Generator<number> {
    for (let at = CHUNK_WORDS; at < this.#end; at += 1 << PAGE_STRIDE_LOG2) {
      const bits = this.words[at + 1] as number;
      if ((bits & HAS_ADDRESS) !== 0 && hostIn(bits) === host) yield at;
    }
  }

  /** Where a page lies: upper half and page of its physical address. */
  address(at: number): { readonly hi: number; readonly page: number } {
    return { hi: this.words[at] as number, page: (this.words[at + 1] as number) & PAGE_FIELD };
  }

  /** Number of the window that a page lies in: 1, 2 .. */
  window(at: number): number {
    return this.#windowOf[at >> CHUNK_WORDS_LOG2] as number;
  }

  host(at: number): number {
    return hostIn(this.words[at + 1] as number);
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
    const offset = this.#memory.page(hostIn(bits), words[at] as number, bits & PAGE_FIELD);
    if (offset < 0) return NOT_STORED;
    words[at + P_PLACE] = offset | 0;
    return offset;
  }

  #translate(at: number, host: number, process: number, hi: number, page: number): void {
    const memory = this.#memory;
    const words = this.words;
    memory.translate(host, process, hi, page << PAGE_SHIFT);
    const { physHi } = memory;
    const physPage = memory.physLo >>> PAGE_SHIFT;
    words[at] = physHi;
    words[at + 1] = physPage | (host << HOST_SHIFT) | HAS_ADDRESS;
    words[at + P_KEY] = memory.pageKey(host, physHi, physPage) | 0;
  }

  /** Index of the slot of a chunk, or of the free one where it belongs. */
  #slot(space: number, hi: number, part: number): number {
    const slots = this.#slots;
    const mask = this.#mask;
    let i = hash(space, hi, part) & mask;
    for (;;) {
      const at = i << SLOT_LOG2;
      if (slots[at] === hi && slots[at + 1] === part && slots[at + SPACE] === space) return at;
      if (slots[at + CHUNK] === 0) return at;
      i = (i + 1) & mask;
    }
  }

  /** A new chunk, entered in the free slot at `at`. */
  #add(at: number, space: number, hi: number, part: number): number {
    const chunk = this.#end;
    this.#end += CHUNK_WORDS;
    if (this.#end > this.words.length) this.words = widened(this.words, this.#end);
    const slots = this.#slots;
    slots[at] = hi;
    slots[at + 1] = part;
    slots[at + SPACE] = space;
    slots[at + CHUNK] = chunk;
    const number = chunk >> CHUNK_WORDS_LOG2;
    if (number >= this.#windowOf.length) this.#windowOf = widened(this.#windowOf, number + 1);
    this.#windowOf[number] = this.#windows.open(hostOf(space), processOf(space), hi, part << CHUNK_LOG2);
    if (++this.#chunks * 2 > this.#mask) this.#rehash(2 * (this.#mask + 1));
    return chunk;
  }

  #rehash(slots: number): void {
    const old = this.#slots;
    this.#mask = slots - 1;
    this.#slots = new Int32Array(slots << SLOT_LOG2);
    for (let from = 0; from < old.length; from += 1 << SLOT_LOG2) {
      if (old[from + CHUNK] === 0) continue;
      const at = this.#slot(old[from + SPACE] as number, old[from] as number, old[from + 1] as number);
      this.#slots.set(old.subarray(from, from + (1 << SLOT_LOG2)), at);
    }
  }
}

function hash(space: number, hi: number, part: number): number {
  let x = Math.imul(hi ^ Math.imul(space, 0x9e3779b1), 0x85ebca6b) + Math.imul(part, 0xc2b2ae35);
  x = Math.imul(x ^ (x >>> 15), 0x27d4eb2f);
  return x ^ (x >>> 13);
}

function hostIn(bits: number): number {
  return (bits >>> HOST_SHIFT) & HOST_FIELD;
}
