/** A first-in first-out list on a ring that doubles when full: push and shift take constant time. */
export class Fifo<T> {
  /** Items held. */
  size = 0;
  #ring: (T | undefined)[] = new Array<T | undefined>(8).fill(undefined);
  #head = 0;

  /** Adds at the end. */
  push(item: T): void {
    if (this.size === this.#ring.length) this.#grow();
    this.#ring[(this.#head + this.size++) & (this.#ring.length - 1)] = item;
  }

  /** Puts in front of all others. */
  unshift(item: T): void {
    if (this.size === this.#ring.length) this.#grow();
    this.#head = (this.#head - 1) & (this.#ring.length - 1);
    this.#ring[this.#head] = item;
    this.size++;
  }

  /** Takes the first; undefined when empty. */
  shift(): T | undefined {
    if (this.size === 0) return undefined;
    const item = this.#ring[this.#head];
    this.#ring[this.#head] = undefined;
    this.#head = (this.#head + 1) & (this.#ring.length - 1);
    this.size--;
    return item;
  }

  /** Item number `index` from the front, not taken; undefined beyond the end. */
  at(index: number): T | undefined {
    return index < this.size ? this.#ring[(this.#head + index) & (this.#ring.length - 1)] : undefined;
  }

  /** Removes the first occurrence of an item; false when it is not in the list. Takes time in proportion to size. */
  remove(item: T): boolean {
    const items = this.toArray();
    const at = items.indexOf(item);
    if (at < 0) return false;
    items.splice(at, 1);
    this.clear();
    for (const other of items) this.push(other);
    return true;
  }

  /** Forgets all items. */
  clear(): void {
    this.#ring.fill(undefined);
    this.size = 0;
    this.#head = 0;
  }

  /** The items, first to last. */
  toArray(): T[] {
    const items: T[] = [];
    for (let i = 0; i < this.size; i++) items.push(this.at(i) as T);
    return items;
  }

  #grow(): void {
    const items = this.toArray();
    this.#ring = new Array<T | undefined>(2 * this.#ring.length).fill(undefined);
    for (let i = 0; i < items.length; i++) this.#ring[i] = items[i];
    this.#head = 0;
  }
}
