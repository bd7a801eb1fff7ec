import { singleWait } from './singleWait.ts';
import type { Proc, Waitable, Waiter } from './wait.ts';
import { WaitList } from './waitList.ts';

/**
 * A named event that carries data (UVM 1800.2 §10.1).
 *
 * `trigger` wakes everybody who waits and leaves the event on until `reset`. `wait` waits for the next trigger,
 * `waitOn` is satisfied at once while the event is on.
 * @public
 */
export class Event<T = void> implements Waitable {
  readonly name: string;
  readonly #waiters = new WaitList();
  #on = false;
  #data: T | undefined = undefined;

  /** @param name what happens, for reports: `link up`, `hca0.cq 12` */
  constructor(name = 'event') {
    this.name = name;
  }

  /** True from a trigger until the next reset. */
  get isOn(): boolean {
    return this.#on;
  }

  /** Data of the last trigger since the last reset. */
  get data(): T | undefined {
    return this.#data;
  }

  /** Processes that wait. */
  get waiting(): number {
    return this.#waiters.size;
  }

  /** Wakes all who wait, in the order in which they began to, and stays on. */
  trigger(data: T): void {
    this.#on = true;
    this.#data = data;
    this.#waiters.wakeAll(data, this);
  }

  /** Off again, data forgotten. Who waits goes on waiting. */
  reset(): void {
    this.#on = false;
    this.#data = undefined;
  }

  /** Waits for the next trigger, even when the event is on, and returns its data. */
  wait(): Proc<T> {
    return singleWait<T>(this);
  }

  /** Returns at once while the event is on, else waits for the next trigger; returns the data. */
  *waitOn(): Proc<T> {
    if (this.#on) return this.#data as T;
    return (yield this) as T;
  }

  park(waiter: Waiter): void {
    this.#waiters.park(waiter);
  }

  unpark(waiter: Waiter): void {
    this.#waiters.unpark(waiter);
  }

  describe(): string {
    return `event ${this.name}`;
  }
}
