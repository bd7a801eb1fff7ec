/**
 * A process that has its completions taken as they become visible: it is woken when its taker has finished, not for
 * each of them.
 */

import type { Proc, Waitable, Waiter } from '../../uvm/kernel/process.ts';
import type { CompletionTaker } from './hostApi.ts';
import type { Cq } from './verbsObjects.ts';

export class CompletionTaking implements Waitable {
  /** A process waits. */
  active = false;
  readonly #what: string;
  #taker: CompletionTaker | null = null;
  #waiter: Waiter | null = null;

  /** @param what is waited for, for the deadlock report */
  constructor(what: string) {
    this.#what = what;
  }

  /** Returns when the taker, which has not finished yet, has. One process at a time. */
  *wait(taker: CompletionTaker): Proc<void> {
    this.#taker = taker;
    yield this;
  }

  /** A queue has something to poll, and a process waits. */
  arrived(cq: Cq): void {
    const taker = this.#taker as CompletionTaker;
    taker.drain(cq);
    if (!taker.finished()) return;
    const waiter = this.#waiter as Waiter;
    this.unpark();
    waiter.wake(undefined, this);
  }

  /** Lets the process that waits go on, if there is one, though its taker has not finished. */
  end(): void {
    const waiter = this.#waiter;
    this.unpark();
    waiter?.wake(undefined, this);
  }

  park(waiter: Waiter): void {
    this.#waiter = waiter;
    this.active = true;
  }

  unpark(): void {
    this.#waiter = null;
    this.#taker = null;
    this.active = false;
  }

  describe(): string {
    return this.#what;
  }
}
