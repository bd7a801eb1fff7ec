/**
 * Request ids by ring slot. One table for all queues of a host: a queue owns a range of cells from its first posting
 * on, so that it needs no array of its own and an unused one has none at all.
 */

import { RangeAllocator } from '../../../../env/memory/rangeAllocator.ts';

/** The table grows by chunks, which are never moved. */
const CHUNK_LOG2 = 10;
const CHUNK = 1 << CHUNK_LOG2;
const MAX_CELLS = 2 ** 30;

/** Of a queue without cells. */
export const NO_CELLS = -1;

export class RequestIds {
  readonly #ranges = new RangeAllocator(MAX_CELLS);
  readonly #chunks: Float64Array[] = [];

  /** Cells in use. */
  get inUse(): number {
    return this.#ranges.inUse;
  }

  /** First of `count` new cells. */
  alloc(count: number): number {
    const first = this.#ranges.alloc(count);
    while (this.#ranges.top > this.#chunks.length << CHUNK_LOG2) this.#chunks.push(new Float64Array(CHUNK));
    return first;
  }

  /** Gives the cells of a queue back, if it has any. */
  free(first: number, count: number): void {
    if (first !== NO_CELLS) this.#ranges.free(first, count);
  }

  /** Takes the cells of all queues back. */
  clear(): void {
    this.#ranges.clear();
  }

  get(cell: number): number {
    return (this.#chunks[cell >> CHUNK_LOG2] as Float64Array)[cell & (CHUNK - 1)] as number;
  }

  put(cell: number, wrId: number): void {
    (this.#chunks[cell >> CHUNK_LOG2] as Float64Array)[cell & (CHUNK - 1)] = wrId;
  }

  /** Notes the ids of `count` requests in the ring of cells from `cells` on, the first at running number `first`. */
  note(cells: number, mask: number, first: number, wrs: readonly { readonly wrId: number }[], count: number): void {
    const chunks = this.#chunks;
    for (let i = 0; i < count; i++) {
      const cell = cells + ((first + i) & mask);
      (chunks[cell >> CHUNK_LOG2] as Float64Array)[cell & (CHUNK - 1)] = (wrs[i] as { wrId: number }).wrId;
    }
  }
}
