/** First-in first-out queue on a growing array; no allocation in steady state. */
export class Ring<T> {
  #items: (T | undefined)[] = new Array<T | undefined>(64).fill(undefined);
  #head = 0;
  length = 0;

  push(item: T): void {
    const n = this.length;
    if (n === this.#items.length) this.#grow();
    const items = this.#items;
    items[(this.#head + n) & (items.length - 1)] = item;
    this.length = n + 1;
  }

  /** Puts an item in front of all others. */
  unshift(item: T): void {
    if (this.length === this.#items.length) this.#grow();
    this.#head = (this.#head - 1) & (this.#items.length - 1);
    this.#items[this.#head] = item;
    this.length++;
  }

  /** @returns the oldest item, or undefined when empty. */
  shift(): T | undefined {
    const n = this.length;
    if (n === 0) return undefined;
    const items = this.#items;
    const head = this.#head;
    const item = items[head];
    items[head] = undefined;
    this.#head = (head + 1) & (items.length - 1);
    this.length = n - 1;
    return item;
  }

  /** The oldest item, or undefined when empty. */
  get first(): T | undefined {
    return this.length === 0 ? undefined : this.#items[this.#head];
  }

  /** Whether an item fulfils a condition. */
  some(holds: (item: T) => boolean): boolean {
    return this.#items.some((item) => item !== undefined && holds(item));
  }

  clear(): void {
    while (this.shift() !== undefined);
  }

  #grow(): void {
    const n = this.#items.length;
    const wider = new Array<T | undefined>(n * 2).fill(undefined);
    for (let i = 0; i < n; i++) wider[i] = this.#items[(this.#head + i) & (n - 1)];
    this.#items = wider;
    this.#head = 0;
  }
}
