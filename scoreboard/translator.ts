/**
 * Address translation with a cache. The map of a run never changes, so an entry stays right for ever; and so does the
 * place of a page once it is stored. Of a page that is not, it is asked for each time.
 */

import type { ScoreboardMemory } from './scoreboardMemory.ts';
import { PAGE_SHIFT } from './scoreboardMemory.ts';

const ENTRIES = 1 << 13;
// Tag: host and process, upper half, page; then physical upper half, page, seed key,
// `HAS_*` bits, and place in the store.
const STRIDE = 8;
const UNUSED = -1;
const HAS_KEY = 1;
const HAS_PLACE = 2;

export class Translator {
  /** Results of `locate`. */
  physHi = 0;
  physPage = 0;

  readonly #memory: ScoreboardMemory;
  readonly #cache = new Int32Array(ENTRIES * STRIDE).fill(UNUSED);
  /** Entry and host of the last `locate`. */
  #at = 0;
  #host = 0;

  constructor(memory: ScoreboardMemory) {
    this.#memory = memory;
  }

  /** Finds the physical page behind page `page` (address bits 31:12) of upper half `hi`. */
  locate(host: number, process: number, hi: number, page: number): void {
    const c = this.#cache;
    const owner = (host << 24) | process;
    const at = slot(owner, hi, page);
    if (c[at + 2] !== page || c[at + 1] !== hi || c[at] !== owner) {
      this.#memory.translate(host, process, hi, page << PAGE_SHIFT);
      this.#enter(at, owner, hi, page, this.#memory.physHi, this.#memory.physLo >>> PAGE_SHIFT);
    }
    this.#at = at;
    this.#host = host;
    this.physHi = c[at + 3] as number;
    this.physPage = c[at + 4] as number;
  }

  /** Key of the seeded bytes of the page that `locate` found last. */
  key(): number {
    const c = this.#cache;
    const at = this.#at;
    if (((c[at + 6] as number) & HAS_KEY) === 0) {
      c[at + 5] = this.#memory.pageKey(this.#host, c[at + 3] as number, c[at + 4] as number) | 0;
      c[at + 6] = (c[at + 6] as number) | HAS_KEY;
    }
    return c[at + 5] as number;
  }

  /** Byte-store offset of the page that `locate` found last, -1 when nobody has written it. */
  place(): number {
    const c = this.#cache;
    const at = this.#at;
    if (((c[at + 6] as number) & HAS_PLACE) !== 0) return (c[at + 7] as number) >>> 0;
    const offset = this.#memory.page(this.#host, c[at + 3] as number, c[at + 4] as number);
    if (offset >= 0) {
      c[at + 7] = offset | 0;
      c[at + 6] = (c[at + 6] as number) | HAS_PLACE;
    }
    return offset;
  }

  /** Takes over a translation found on another way. */
  learn(host: number, process: number, hi: number, page: number, physHi: number, physPage: number): void {
    const owner = (host << 24) | process;
    this.#enter(slot(owner, hi, page), owner, hi, page, physHi, physPage);
  }

  #enter(at: number, owner: number, hi: number, page: number, physHi: number, physPage: number): void {
    const c = this.#cache;
    c[at] = owner;
    c[at + 1] = hi;
    c[at + 2] = page;
    c[at + 3] = physHi;
    c[at + 4] = physPage;
    c[at + 6] = 0;
  }
}

function slot(owner: number, hi: number, page: number): number {
  const h = Math.imul(page ^ Math.imul(hi ^ (owner << 7), 0x9e3779b1), 0x85ebca6b);
  return ((h ^ (h >>> 16)) & (ENTRIES - 1)) * STRIDE;
}
