/** 128-bit hashes of ranges of a page, four words each with a free list. */

import type { DataPages } from './dataPages.ts';
import { NOT_STORED } from './dataPages.ts';
import type { Bytes } from './scoreboardMemory.ts';
import { PAGE_BYTES } from './scoreboardMemory.ts';
import { Slab } from '../model/slab.ts';
import type { HashKeeper } from './verifiedMap.ts';

const LOG2_WORDS = 2;

export class HashTable implements HashKeeper {
  readonly #slab = new Slab();
  readonly #bytes: Bytes;
  readonly #pages: DataPages;
  /** Where a hash is being made: 16 bytes of state, then a page of scratch. */
  readonly #state: number;
  readonly #scratch: number;

  constructor(bytes: Bytes, pages: DataPages) {
    this.#bytes = bytes;
    this.#pages = pages;
    this.#state = bytes.alloc(16, 16);
    this.#scratch = bytes.alloc(PAGE_BYTES, 16);
  }

  /** Number of a new hash over the current bytes [from, to) of a page. */
  rehash(page: number, from: number, to: number): number {
    this.#compute(page, from, to);
    const at = this.#slab.alloc(LOG2_WORDS);
    const state = this.#state >> 2;
    for (let i = 0; i < 4; i++) this.#slab.words[at + i] = this.#bytes.i32[state + i] as number;
    return at;
  }

  /** True when the bytes of [from, to) still have this hash. */
  matches(hash: number, page: number, from: number, to: number): boolean {
    this.#compute(page, from, to);
    const state = this.#state >> 2;
    for (let i = 0; i < 4; i++) {
      if (this.#slab.words[hash + i] !== this.#bytes.i32[state + i]) return false;
    }
    return true;
  }

  dropHash(hash: number): void {
    this.#slab.release(hash, LOG2_WORDS);
  }

  #compute(page: number, from: number, to: number): void {
    const bytes = this.#bytes;
    bytes.zero(this.#state, 16);
    bytes.hashInto(this.#state, this.#locate(page, from, to - from), to - from);
  }

  /** Byte-store offset of `n` bytes of a page; never-written ones are made in the scratch page. */
  #locate(page: number, position: number, n: number): number {
    const place = this.#pages.place(page);
    if (place !== NOT_STORED) return place + position;
    this.#bytes.fillSeeded(this.#pages.key(page), position, this.#scratch, n);
    return this.#scratch;
  }
}
