import type { Waitable, Waiter } from '../kernel/process.ts';

/** Where the driver's process parks while a sequencer has no item for it. */
export class DriverWait implements Waitable {
  readonly idle = true;
  /** The driver has asked and not been answered. */
  waiting = false;
  /** What was asked for takes the item (getNextItem), as opposed to looking at it (peek). */
  takes = true;
  readonly #sequencer: string;
  #process: Waiter | null = null;

  constructor(sequencer: string) {
    this.#sequencer = sequencer;
  }

  park(process: Waiter): void {
    this.#process = process;
  }

  unpark(): void {
    this.#process = null;
    this.waiting = false;
  }

  /** Answers the driver. */
  wake(answer: unknown): void {
    const process = this.#process;
    this.#process = null;
    this.waiting = false;
    process?.wake(answer, this);
  }

  describe(): string {
    return `next item from sequencer ${this.#sequencer}`;
  }
}
