import { UvmError } from '../base/uvmError.ts';
import { Event } from '../kernel/event.ts';
import type { Proc } from '../kernel/process.ts';
import type { SequenceItem } from './sequenceItem.ts';

/** Whose responses they are. */
export interface ResponseOwner {
  readonly fullName: string;
  error(id: string, message: string): void;
}

/** Responses a driver has sent and the sequence has not asked for yet (1800.2 14.2.7). */
export class ResponseQueue<RSP extends SequenceItem> {
  /** Responses kept; one more is an error and is dropped. -1 = no limit. Default 8. */
  depth = 8;
  /** Drops silently what does not fit. */
  ignoreOverflow = false;
  /** Takes each response instead of the queue. */
  handler: ((response: RSP) => void) | undefined;
  readonly #owner: ResponseOwner;
  readonly #responses: RSP[] = [];
  #arrival: Event | undefined;

  constructor(owner: ResponseOwner) {
    this.#owner = owner;
  }

  get size(): number {
    return this.#responses.length;
  }

  put(response: RSP): void {
    if (this.handler !== undefined) {
      this.handler(response);
      return;
    }
    if (this.depth >= 0 && this.#responses.length >= this.depth) {
      if (!this.ignoreOverflow) this.#owner.error('SEQRSPOVF', 'Response queue overflow, response was dropped');
      return;
    }
    this.#responses.push(response);
    this.#arrival?.trigger();
  }

  /**
   * Waits for a response: the oldest, or the one with a transaction id.
   * @throws UvmError `SEQRSPHANDLER` while a handler takes the responses.
   */
  *get(transactionId = -1): Proc<RSP> {
    if (this.handler !== undefined) {
      throw new UvmError(
        'SEQRSPHANDLER',
        `${this.#owner.fullName}: responses go to the handler, getResponse gets none`,
      );
    }
    for (;;) {
      const at = transactionId < 0 ? 0 : this.#responses.findIndex((r) => r.transactionId === transactionId);
      const [found] = at < 0 ? [] : this.#responses.splice(at, 1);
      if (found !== undefined) return found;
      this.#arrival ??= new Event(`response for ${this.#owner.fullName}`);
      yield* this.#arrival.wait();
    }
  }

  clear(): void {
    this.#responses.length = 0;
  }
}
