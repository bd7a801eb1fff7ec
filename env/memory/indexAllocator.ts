/**
 * Numbers for objects: queue pairs, completion queues, keys. Cyclic, so that a number comes back as late as possible
 * and a stale one is recognised.
 */
export class IndexAllocator {
  /** Numbers handed out and not freed. */
  inUse = 0;
  readonly #used: Uint8Array;
  readonly #low: number;
  readonly #limit: number;
  #next: number;
  /** Where it began. */
  #first: number;
  /** The number that was freed last is the next. */
  #soon = false;

  /**
   * @param low smallest number.
   * @param high largest number.
   * @param first where to begin; after `high` the search goes on at `low`.
   * @param limit numbers in use at a time. Default: all of them.
   */
  constructor(low: number, high: number, first = low, limit = high - low + 1) {
    this.#low = low;
    this.#used = new Uint8Array(high - low + 1);
    this.#next = first - low;
    this.#first = this.#next;
    this.#limit = Math.min(limit, high - low + 1);
  }

  /** Numbers that can still be handed out. */
  get left(): number {
    return this.#limit - this.inUse;
  }

  /** A free number, or -1 when the limit is reached. */
  alloc(): number {
    if (this.inUse >= this.#limit) return -1;
    const used = this.#used;
    let i = this.#next;
    while (used[i] !== 0) i = i + 1 < used.length ? i + 1 : 0;
    used[i] = 1;
    this.inUse++;
    this.#next = i + 1 < used.length ? i + 1 : 0;
    return i + this.#low;
  }

  /** @throws RangeError for a number that is not in use. */
  free(index: number): void {
    const i = index - this.#low;
    if (this.#used[i] !== 1) throw new RangeError(`number ${index} is freed but was not in use`);
    this.#used[i] = 0;
    this.inUse--;
    if (this.#soon) this.#next = i;
  }

  /**
   * Begins anew, one behind where it began before: numbers come back soon, and mean something else.
   * @throws RangeError while some are in use
   */
  restart(): void {
    if (this.inUse > 0) throw new RangeError(`${this.inUse} numbers are in use`);
    this.#first = (this.#first + 1) % this.#used.length;
    this.#next = this.#first;
  }

  /** Frees all numbers and begins anew, as `restart`. */
  clear(): void {
    this.#used.fill(0);
    this.inUse = 0;
    this.restart();
  }

  /** Whether the number that is freed last is the next to be handed out. Without: it comes back as late as possible. */
  comesBack(soon: boolean): void {
    this.#soon = soon;
  }

  /** A free number is the next to be handed out. */
  nextIs(index: number): void {
    this.#next = index - this.#low;
  }

  /** The largest number that is not handed out; -1 when all are. */
  highestFree(): number {
    const i = this.#used.lastIndexOf(0);
    return i < 0 ? -1 : i + this.#low;
  }

  /** True while the number is handed out. */
  has(index: number): boolean {
    return this.#used[index - this.#low] === 1;
  }
}
