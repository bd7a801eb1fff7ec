import { Event } from '../../uvm/kernel/event.ts';
import type { Proc } from '../../uvm/kernel/process.ts';

/** Where processes wait for each other: `arrive` returns when all parties have arrived. May be used again at once. */
export class Barrier {
  #parties: number;
  readonly #open: Event;
  #arrived = 0;

  /** @param parties processes that take part, at least 1 */
  constructor(name: string, parties: number) {
    this.#parties = parties;
    this.#open = new Event(name);
  }

  /** Waits for the others; the last to arrive goes on at once. */
  *arrive(): Proc<void> {
    if (++this.#arrived < this.#parties) {
      yield* this.#open.wait();
      return;
    }
    this.#openUp();
  }

  /** A process that has not arrived takes part no longer: the others go on without it. */
  leave(): void {
    this.#parties--;
    if (this.#arrived > 0 && this.#arrived >= this.#parties) this.#openUp();
  }

  #openUp(): void {
    this.#arrived = 0;
    this.#open.trigger();
    this.#open.reset();
  }
}
