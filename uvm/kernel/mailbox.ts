import { Event } from './event.ts';
import { Fifo } from './fifo.ts';
import type { Proc, Waitable, Waiter } from './wait.ts';
import { WaitList } from './waitList.ts';

/**
 * A queue between processes (SystemVerilog mailbox). Items come out in the order in which they went in; processes
 * that wait are served in the order in which they came. An item given to a process that is killed before it could go
 * on returns to the front of the queue.
 * @public
 */
export class Mailbox<T> {
  readonly name: string;
  /** Items that fit; Infinity when unbounded. */
  readonly capacity: number;

  /**
   * Waiting on this is `get` as a waitable, for `waitFirst([mailbox.arrival, 10 * US])`: it ends with the item, which
   * has then left the queue.
   */
  readonly arrival: Waitable;

  readonly #items = new Fifo<T>();
  readonly #getters = new WaitList();
  readonly #putters = new Fifo<BlockedPut<T>>();
  /** Wakes those who peek at an empty queue. */
  readonly #seen: Event<T>;

  /**
   * @param capacity default unbounded
   * @param name for reports
   * @throws RangeError unless the capacity is a positive integer or Infinity
   */
  constructor(capacity = Infinity, name = 'mailbox') {
    if (!(capacity >= 1) || (capacity !== Infinity && !Number.isInteger(capacity))) {
      throw new RangeError(`Mailbox ${name}: the capacity is ${capacity}; it must be a positive integer or Infinity`);
    }
    this.capacity = capacity;
    this.name = name;
    this.#seen = new Event<T>(`item in mailbox ${name}`);
    this.arrival = new Arrival(this, this.#getters, (item) => this.#giveBack(item));
  }

  /** Items in the queue. */
  get size(): number {
    return this.#items.size;
  }

  /** Processes waiting for an item. */
  get getting(): number {
    return this.#getters.size;
  }

  /** Processes waiting for room. */
  get putting(): number {
    return this.#putters.size;
  }

  /** Adds an item, waiting while the queue is full. */
  *put(item: T): Proc<void> {
    if (!this.tryPut(item)) yield new BlockedPut(this.name, this.#putters, item);
  }

  /** Adds an item if there is room; false when the queue is full or others wait for room. */
  tryPut(item: T): boolean {
    if (this.#seen.waiting > 0) this.#seen.trigger(item);
    if (this.#getters.wakeFirst(item, this.arrival)) return true;
    if (this.#items.size >= this.capacity) return false;
    this.#items.push(item);
    return true;
  }

  /** Takes the first item, waiting while there is none. */
  *get(): Proc<T> {
    if (this.#items.size > 0) return this.tryGet() as T;
    return (yield this.arrival) as T;
  }

  /** Takes the first item; undefined when there is none. */
  tryGet(): T | undefined {
    if (this.#items.size === 0) return undefined;
    const item = this.#items.shift();
    const blocked = this.#putters.shift();
    if (blocked !== undefined) {
      this.#items.push(blocked.item);
      blocked.admitted();
    }
    return item;
  }

  /** The first item, left in the queue; undefined when there is none. */
  tryPeek(): T | undefined {
    return this.#items.at(0);
  }

  /** The first item, left in the queue, waiting while there is none. */
  *peek(): Proc<T> {
    if (this.#items.size > 0) return this.#items.at(0) as T;
    return yield* this.#seen.wait();
  }

  /** Fill level for the deadlock report. */
  describe(): string {
    const limit = this.capacity === Infinity ? '' : ` of ${this.capacity}`;
    return `mailbox ${this.name}: ${this.size}${limit} items, ${this.getting} getting, ${this.putting} putting`;
  }

  #giveBack(item: T): void {
    if (this.#getters.wakeFirst(item, this.arrival)) return;
    this.#items.unshift(item);
    // Who began to peek while the item was on its way has seen nothing of it.
    if (this.#seen.waiting > 0) this.#seen.trigger(item);
  }
}

/** The end of the queue at which items are taken, as a waitable. */
class Arrival<T> implements Waitable {
  readonly #mailbox: Mailbox<T>;
  readonly #getters: WaitList;
  readonly #giveBack: (item: T) => void;

  constructor(mailbox: Mailbox<T>, getters: WaitList, giveBack: (item: T) => void) {
    this.#mailbox = mailbox;
    this.#getters = getters;
    this.#giveBack = giveBack;
  }

  park(waiter: Waiter): void {
    if (this.#mailbox.size > 0) waiter.wake(this.#mailbox.tryGet(), this);
    else this.#getters.park(waiter);
  }

  unpark(waiter: Waiter): void {
    this.#getters.unpark(waiter);
  }

  abandon(value: unknown): void {
    this.#giveBack(value as T);
  }

  describe(): string {
    return `item from ${this.#mailbox.describe()}`;
  }
}

/** One process that waits for room, with its item. */
class BlockedPut<T> implements Waitable {
  readonly item: T;
  readonly #name: string;
  readonly #queue: Fifo<BlockedPut<T>>;
  #waiter: Waiter | null = null;

  constructor(name: string, queue: Fifo<BlockedPut<T>>, item: T) {
    this.#name = name;
    this.#queue = queue;
    this.item = item;
  }

  park(waiter: Waiter): void {
    this.#waiter = waiter;
    this.#queue.push(this);
  }

  unpark(): void {
    this.#queue.remove(this);
  }

  /** The item is in the queue now. */
  admitted(): void {
    this.#waiter?.wake(undefined, this);
  }

  describe(): string {
    return `room in mailbox ${this.#name}`;
  }
}
