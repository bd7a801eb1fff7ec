/**
 * Request ids by ring slot. One table for all queue pairs of a host: a queue pair owns a range of cells, so that it
 * needs no array of its own.
 */

import { RangeAllocator } from '../../rangeAllocator.ts';

const FIRST_CELLS = 1024;
const MAX_CELLS = 2 ** 30;

export class RequestIds {
  readonly #ranges = new RangeAllocator(MAX_CELLS);
  #ids = new Float64Array(FIRST_CELLS);

  /** Cells in use. */
  get inUse(): number {
    return this.#ranges.inUse;
  }

  /** First of `count` new cells. */
  alloc(count: number): number {
    const first = this.#ranges.alloc(count);
    if (this.#ranges.top > this.#ids.length) this.#grow();
    return first;
  }

  free(first: number, count: number): void {
    this.#ranges.free(first, count);
  }

  get(cell: number): number {
    return this.#ids[cell] as number;
  }

  set(cell: number, id: number): void {
    this.#ids[cell] = id;
  }

  #grow(): void {
    let length = this.#ids.length;
    while (length < this.#ranges.top) length *= 2;
    const wider = new Float64Array(length);
    wider.set(this.#ids);
    this.#ids = wider;
  }
}
