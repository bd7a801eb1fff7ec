/** 128-bit hashes of memory ranges, four words each with a free list. */

import type { Bytes } from './scoreboardMemory.ts';
import { PAGE_BYTES, PAGE_MASK, PAGE_SHIFT } from './scoreboardMemory.ts';
import { Slab } from './slab.ts';
import type { Translator } from './translator.ts';
import type { HashKeeper } from './verifiedMap.ts';
import type { Windows } from './windows.ts';

const LOG2_WORDS = 2;

export class HashTable implements HashKeeper {
  readonly #slab = new Slab();
  readonly #bytes: Bytes;
  readonly #windows: Windows;
  readonly #translator: Translator;
  /** Where a hash is being made: 16 bytes of state, then a page of scratch. */
  readonly #state: number;
  readonly #scratch: number;

  constructor(bytes: Bytes, windows: Windows, translator: Translator) {
    this.#bytes = bytes;
    this.#windows = windows;
    this.#translator = translator;
    this.#state = bytes.alloc(16, 16);
    this.#scratch = bytes.alloc(PAGE_BYTES, 16);
  }

  /** Number of a new hash over the current bytes of window positions [from, to). */
  rehash(window: number, from: number, to: number): number {
    this.#compute(window, from, to);
    const at = this.#slab.alloc(LOG2_WORDS);
    const state = this.#state >> 2;
    for (let i = 0; i < 4; i++) this.#slab.words[at + i] = this.#bytes.i32[state + i] as number;
    return at;
  }

  /** True when the bytes of [from, to) still have this hash. */
  matches(hash: number, window: number, from: number, to: number): boolean {
    this.#compute(window, from, to);
    const state = this.#state >> 2;
    for (let i = 0; i < 4; i++) {
      if (this.#slab.words[hash + i] !== this.#bytes.i32[state + i]) return false;
    }
    return true;
  }

  dropHash(hash: number): void {
    this.#slab.release(hash, LOG2_WORDS);
  }

  #compute(window: number, from: number, to: number): void {
    const bytes = this.#bytes;
    bytes.zero(this.#state, 16);
    for (let pos = from; pos < to; ) {
      const n = Math.min(to - pos, PAGE_BYTES - (pos & PAGE_MASK));
      bytes.hashInto(this.#state, this.#locate(window, pos, n), n);
      pos += n;
    }
  }

  /** Byte-store offset of `n` bytes within a page; never-written ones are made in the scratch page. */
  #locate(window: number, pos: number, n: number): number {
    const t = this.#translator;
    const at = t.entry(window, this.#windows.firstPage(window) + (pos >>> PAGE_SHIFT));
    const offset = t.place(at);
    if (offset >= 0) return offset + (pos & PAGE_MASK);
    this.#bytes.fillSeeded(t.key(at), pos & PAGE_MASK, this.#scratch, n);
    return this.#scratch;
  }
}
