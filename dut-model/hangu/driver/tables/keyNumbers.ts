/**
 * Keys of the memory protection table: indices, as published, or index << 8 | tag where the NIC has been asked for tags. An index that
 * is given out again has the next tag then, so that the key that it had opens nothing any more.
 */

import { IndexAllocator } from '../../../../env/memory/indexAllocator.ts';
import { KEY_TAG_BITS } from '../../layout/contexts.ts';
import { widened } from '../../../../uvm/bytes/widened.ts';

/** How keys are given out. */
export interface KeyTags {
  /** Bits of a tag that are used, 0 .. `KEY_TAG_BITS`: with fewer a key comes back sooner. 0: keys have none. */
  readonly bits: number;
  /** The index that was given back last is given out next. Default: the one that was longest unused. */
  readonly soon: boolean;
}

export class KeyNumbers {
  readonly #indices: IndexAllocator;
  /** By index: the key that it has, or had last. */
  #keys = new Int32Array(256);
  #shift = 0;
  #tagMask = 0;
  #soon = false;

  /** @param first index to begin with, 0 = the first that there is. @param entries of the table; entry 0 is never used */
  constructor(entries: number, first: number) {
    this.#indices = new IndexAllocator(1, entries - 1, Math.max(1, first));
  }

  /** The device is opened; nothing is registered. */
  opens({ bits, soon }: KeyTags): void {
    this.#shift = bits > 0 ? KEY_TAG_BITS : 0;
    this.#tagMask = 2 ** bits - 1;
    this.#soon = soon;
    this.#keys.fill(0);
  }

  /** Whether keys have tags. */
  get tagged(): boolean {
    return this.#shift > 0;
  }

  get inUse(): number {
    return this.#indices.inUse;
  }

  /** Keys that can still be given out. */
  get left(): number {
    return this.#indices.left;
  }

  alloc(): number {
    const index = this.#indices.alloc();
    if (index >= this.#keys.length) this.#keys = widened(this.#keys, index + 1);
    const key = (index << this.#shift) | this.#tagAfter(index);
    this.#keys[index] = key;
    return key;
  }

  free(key: number): void {
    this.#indices.free(this.indexOf(key));
    if (this.#soon) this.#indices.nextIs(this.indexOf(key));
  }

  /** An index has another key from now on, which a request gives it. */
  changed(key: number): void {
    this.#keys[this.indexOf(key)] = key;
  }

  indexOf(key: number): number {
    return key >>> this.#shift;
  }

  /** A key of another index that differs from `key` in one bit. */
  neighbour(key: number): number {
    return key ^ (1 << this.#shift);
  }

  /** The key of an index that is in use; undefined for others. */
  keyAt(index: number): number | undefined {
    return index > 0 && this.#indices.has(index) ? this.#keys[index] : undefined;
  }

  /** Begins anew; nothing is registered. */
  restart(): void {
    this.#indices.restart();
  }

  clear(): void {
    this.#indices.clear();
  }

  #tagAfter(index: number): number {
    if (this.#shift === 0) return 0;
    return ((this.#keys[index] as number) + 1) & this.#tagMask;
  }
}
