/**
 * Blocks of 32-bit words in one growing array, in power-of-two sizes. Freed neighbours are joined and large blocks
 * split, so that thousands of lists that grow in step leave no waste behind. For lists that seldom change size; lists
 * that come and go with every request use `Slab`.
 */

import { widened } from '../../uvm/bytes/widened.ts';

const MIN_LOG2 = 3;
const MAX_LOG2 = 28;
const CHUNK_WORDS = 4096;
const NONE = -1;

export class BuddySlab {
  /** All words. Replaced when the slab grows: read it again after `alloc` and `enlarge`. */
  words = new Int32Array(0);
  /** Size class of the free block that starts at each multiple of 8 words, 0 = none does. */
  #tags = new Uint8Array(0);
  /** First free block of each size class; blocks are linked both ways in their first two words. */
  readonly #heads = new Int32Array(MAX_LOG2 + 1).fill(NONE);

  /** Offset of a block of 2^log2 words, at least 8, contents undefined. */
  alloc(log2: number): number {
    let have = log2;
    while (have <= MAX_LOG2 && this.#heads[have] === NONE) have++;
    if (have > MAX_LOG2) {
      this.#grow(1 << log2);
      return this.alloc(log2);
    }
    const at = this.#heads[have] as number;
    this.#unlink(at, have);
    while (have > log2) {
      have--;
      this.#link(at + (1 << have), have);
    }
    return at;
  }

  /** Gives a block back. */
  release(offset: number, log2: number): void {
    let at = offset;
    let size = log2;
    for (; size < MAX_LOG2; size++) {
      const buddy = at ^ (1 << size);
      if (buddy + (1 << size) > this.words.length || this.#tags[buddy >> MIN_LOG2] !== size) break;
      this.#unlink(buddy, size);
      at = Math.min(at, buddy);
    }
    this.#link(at, size);
  }

  /** Moves a block to one of twice its size and returns the new offset. */
  enlarge(offset: number, log2: number): number {
    const at = this.alloc(log2 + 1);
    this.words.copyWithin(at, offset, offset + (1 << log2));
    this.release(offset, log2);
    return at;
  }

  #link(at: number, log2: number): void {
    const next = this.#heads[log2] as number;
    this.words[at] = next;
    this.words[at + 1] = NONE;
    if (next !== NONE) this.words[next + 1] = at;
    this.#heads[log2] = at;
    this.#tags[at >> MIN_LOG2] = log2;
  }

  #unlink(at: number, log2: number): void {
    const next = this.words[at] as number;
    const before = this.words[at + 1] as number;
    if (before === NONE) this.#heads[log2] = next;
    else this.words[before] = next;
    if (next !== NONE) this.words[next + 1] = before;
    this.#tags[at >> MIN_LOG2] = 0;
  }

  /** Makes room for two more blocks of the wanted size at least. */
  #grow(wanted: number): void {
    const old = this.words.length;
    const more = Math.max(CHUNK_WORDS, 2 * wanted);
    this.words = widened(this.words, Math.ceil((old + more) / CHUNK_WORDS) * CHUNK_WORDS);
    const { length } = this.words;
    const tags = new Uint8Array(length >> MIN_LOG2);
    tags.set(this.#tags);
    this.#tags = tags;
    for (let at = old; at < length; ) {
      const size = alignedClass(at, length);
      this.release(at, size);
      at += 1 << size;
    }
  }
}

/** Largest size class of a block that may start at `at` and ends before `end`. */
function alignedClass(at: number, end: number): number {
  const aligned = at === 0 ? MAX_LOG2 : 31 - Math.clz32(at & -at);
  return Math.min(aligned, MAX_LOG2, 31 - Math.clz32(end - at));
}
