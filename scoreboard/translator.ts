/**
 * Address translation with a cache. The map of a run never changes, so an entry stays right for ever; page storage
 * does change and is asked for each time.
 */

import type { ScoreboardMemory } from './scoreboardMemory.ts';
import { PAGE_SHIFT } from './scoreboardMemory.ts';

const ENTRIES = 1 << 13;
// Tag: host and process, upper half, page; then physical upper half, page, seed key.
const STRIDE = 8;
const UNUSED = -1;

export class Translator {
  /** Results of `locate`. */
  physHi = 0;
  physPage = 0;
  /** Key of the page's seeded bytes. */
  key = 0;

  readonly #memory: ScoreboardMemory;
  readonly #cache = new Int32Array(ENTRIES * STRIDE).fill(UNUSED);

  constructor(memory: ScoreboardMemory) {
    this.#memory = memory;
  }

  /** Finds the physical page behind page `page` (address bits 31:12) of upper half `hi`. */
  locate(host: number, process: number, hi: number, page: number): void {
    const c = this.#cache;
    const owner = (host << 24) | process;
    const h = Math.imul(page ^ Math.imul(hi ^ (owner << 7), 0x9e3779b1), 0x85ebca6b);
    const at = ((h ^ (h >>> 16)) & (ENTRIES - 1)) * STRIDE;
    if (c[at + 2] !== page || c[at + 1] !== hi || c[at] !== owner) this.#fill(at, host, process, hi, page);
    this.physHi = c[at + 3] as number;
    this.physPage = c[at + 4] as number;
    this.key = c[at + 5] as number;
  }

  #fill(at: number, host: number, process: number, hi: number, page: number): void {
    const c = this.#cache;
    const memory = this.#memory;
    memory.translate(host, process, hi, page << PAGE_SHIFT);
    const physHi = memory.physHi;
    const physPage = memory.physLo >>> PAGE_SHIFT;
    c[at] = (host << 24) | process;
    c[at + 1] = hi;
    c[at + 2] = page;
    c[at + 3] = physHi;
    c[at + 4] = physPage;
    c[at + 5] = memory.pageKey(host, physHi, physPage) | 0;
  }
}
