import type { EventHandler } from './scheduler.ts';
import { formatTime } from './time.ts';
import type { Proc, Wait, Waitable, Waiter } from './wait.ts';

/** Which of several waits ended first, and what it gave. @public */
export interface FirstOf {
  /** Position in the list. */
  readonly index: number;
  readonly value: unknown;
}

/**
 * Waits until the first of several waits is over; the others are given up. A number is a time limit in ps:
 * `waitFirst([event, 10 * US])` has index 1 when it expired. Among waits that end at one instant the one that happened
 * first counts; among those that are over already, the first in the list.
 * @throws RangeError for an empty list, which would never end
 * @public
 */
export function* waitFirst(waits: readonly Wait[]): Proc<FirstOf> {
  if (waits.length === 0) throw new RangeError('waitFirst: the list of waits is empty, so the wait would never end');
  return (yield new AnyOf(waits)) as FirstOf;
}

/** Parks one process in several places. Used once. */
class AnyOf implements Waitable, EventHandler {
  readonly #waits: readonly Wait[];
  #waiter: Waiter | null = null;

  constructor(waits: readonly Wait[]) {
    this.#waits = waits;
  }

  park(waiter: Waiter): void {
    this.#waiter = waiter;
    for (let i = 0; i < this.#waits.length && this.#isParked(); i++) {
      const wait = this.#waits[i] as Wait;
      if (typeof wait === 'number') waiter.scheduler.schedule(wait, this, i);
      else wait.park(waiter);
    }
  }

  unpark(waiter: Waiter): void {
    this.#waiter = null;
    for (const wait of this.#waits) if (typeof wait !== 'number') wait.unpark(waiter);
  }

  settle(waiter: Waiter, source: Waitable, value: unknown): FirstOf {
    this.unpark(waiter);
    return { index: this.#waits.indexOf(source), value };
  }

  /** What the wait that ended first has given goes back to it. */
  abandon(first: FirstOf): void {
    const wait = this.#waits[first.index];
    if (typeof wait === 'object') wait.abandon?.(first.value);
  }

  /** A time limit is over; too late when another wait ended before. */
  fire(index: number): void {
    const waiter = this.#waiter;
    if (waiter === null) return;
    this.unpark(waiter);
    waiter.wake({ index, value: undefined }, this);
  }

  describe(): string {
    return `first of (${this.#waits.map((w) => (typeof w === 'number' ? formatTime(w) : w.describe())).join(', ')})`;
  }

  /** False once a wait is over, which may happen while parking. */
  #isParked(): boolean {
    return this.#waiter !== null;
  }
}
