import { Fifo } from './fifo.ts';
import type { Waitable, Waiter } from './wait.ts';

/** Processes that wait for one thing, first come first served: the building block of events and queues. */
export class WaitList {
  #waiters = new Fifo<Waiter>();

  /** Processes that wait. */
  get size(): number {
    return this.#waiters.size;
  }

  /** Notes that a process waits. */
  park(waiter: Waiter): void {
    this.#waiters.push(waiter);
  }

  /** Forgets a process; nothing happens when it is not noted. */
  unpark(waiter: Waiter): void {
    this.#waiters.remove(waiter);
  }

  /** Wakes the process that has waited longest, in the name of `source`; false when none waits. */
  wakeFirst(value: unknown, source: Waitable): boolean {
    const waiter = this.#waiters.shift();
    if (waiter === undefined) return false;
    waiter.wake(value, source);
    return true;
  }

  /** Wakes all, longest waiting first. */
  wakeAll(value: unknown, source: Waitable): void {
    // Nobody can join the list meanwhile: a woken process runs later.
    while (this.wakeFirst(value, source));
  }
}
