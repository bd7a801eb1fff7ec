/**
 * Contiguous ranges of indices: translation table entries, request-id cells.
 *
 * Freed ranges are kept sorted and merged with their neighbours. A request looks at a few of them, the lowest first,
 * and otherwise extends the used part, so that neither many regions nor much freeing makes allocation slow.
 */
const LOOK = 8;

export class RangeAllocator {
  /** Indices handed out and not freed. */
  inUse = 0;
  readonly #limit: number;
  readonly #first: number;
  #top: number;
  readonly #start: number[] = [];
  readonly #count: number[] = [];

  /** @param limit indices first .. limit-1 exist. @param first default 0 */
  constructor(limit: number, first = 0) {
    this.#limit = limit;
    this.#first = first;
    this.#top = first;
  }

  /** Frees all ranges. */
  clear(): void {
    this.inUse = 0;
    this.#top = this.#first;
    this.#start.length = 0;
    this.#count.length = 0;
  }

  /** One more than the highest index ever handed out and not given back from the top. */
  get top(): number {
    return this.#top;
  }

  /** First index of a free range of `count`, or -1 when there is none. */
  alloc(count: number): number {
    const near = this.#fit(count, Math.min(LOOK, this.#start.length));
    if (near >= 0) return this.#take(near, count);
    if (this.#top + count <= this.#limit) return this.#extend(count);
    const any = this.#fit(count, this.#start.length);
    return any >= 0 ? this.#take(any, count) : -1;
  }

  /** Gives a range back. @throws RangeError when part of it is free already. */
  free(start: number, count: number): void {
    const at = this.#position(start);
    const before = at - 1;
    const touchesBefore = before >= 0 && this.#end(before) === start;
    if (start + count > this.#top || this.#overlaps(at, start, count)) {
      throw new RangeError(`range ${start} .. ${start + count - 1} is freed but was not in use`);
    }
    this.inUse -= count;
    if (touchesBefore) this.#count[before] = (this.#count[before] as number) + count;
    else {
      this.#start.splice(at, 0, start);
      this.#count.splice(at, 0, count);
    }
    this.#mergeNext(touchesBefore ? before : at);
    this.#lowerTop();
  }

  #fit(count: number, upTo: number): number {
    for (let i = 0; i < upTo; i++) if ((this.#count[i] as number) >= count) return i;
    return -1;
  }

  #take(i: number, count: number): number {
    const start = this.#start[i] as number;
    const left = (this.#count[i] as number) - count;
    if (left === 0) this.#remove(i);
    else {
      this.#start[i] = start + count;
      this.#count[i] = left;
    }
    this.inUse += count;
    return start;
  }

  #extend(count: number): number {
    const start = this.#top;
    this.#top += count;
    this.inUse += count;
    return start;
  }

  #end(i: number): number {
    return (this.#start[i] as number) + (this.#count[i] as number);
  }

  /** Number of free ranges that begin before `start`. */
  #position(start: number): number {
    let low = 0;
    let high = this.#start.length;
    while (low < high) {
      const mid = (low + high) >> 1;
      if ((this.#start[mid] as number) < start) low = mid + 1;
      else high = mid;
    }
    return low;
  }

  #overlaps(at: number, start: number, count: number): boolean {
    if (at > 0 && this.#end(at - 1) > start) return true;
    return at < this.#start.length && (this.#start[at] as number) < start + count;
  }

  #mergeNext(i: number): void {
    if (i + 1 >= this.#start.length || this.#end(i) !== this.#start[i + 1]) return;
    this.#count[i] = (this.#count[i] as number) + (this.#count[i + 1] as number);
    this.#remove(i + 1);
  }

  #lowerTop(): void {
    const last = this.#start.length - 1;
    if (last < 0 || this.#end(last) !== this.#top) return;
    this.#top = this.#start[last] as number;
    this.#remove(last);
  }

  #remove(i: number): void {
    this.#start.splice(i, 1);
    this.#count.splice(i, 1);
  }
}
