import type { Waitable, Waiter } from '../kernel/process.ts';
import type { SequenceClient } from './sequenceClient.ts';
import type { SequenceItem } from './sequenceItem.ts';

/** What a request asks the sequencer for. */
export const REQUEST_KIND = { item: 0, lock: 1, grab: 2 } as const;
export type RequestKind = (typeof REQUEST_KIND)[keyof typeof REQUEST_KIND];

/** Where a request stands: in the queue; chosen; item with the driver; finished. */
export const REQUEST_STATE = { queued: 0, granted: 1, sent: 2, done: 3 } as const;
export type RequestState = (typeof REQUEST_STATE)[keyof typeof REQUEST_STATE];

/** Told when the process that waits for a request is killed. */
export interface RequestOwner {
  readonly fullName: string;
  withdraw(request: Request): void;
}

/** One entry of the arbitration queue. Pooled by its sequencer; its sequence's process parks on it. */
export class Request implements Waitable {
  readonly owner: RequestOwner;
  sequence: SequenceClient | null = null;
  item: SequenceItem | null = null;
  kind: RequestKind = REQUEST_KIND.item;
  state: RequestState = REQUEST_STATE.queued;
  priority = 0;
  #process: Waiter | null = null;

  constructor(owner: RequestOwner) {
    this.owner = owner;
  }

  park(process: Waiter): void {
    this.#process = process;
  }

  /** The process was killed or interrupted while it waited. */
  unpark(): void {
    this.#process = null;
    this.owner.withdraw(this);
  }

  /** The process was killed after it had been woken. */
  abandon(): void {
    this.owner.withdraw(this);
  }

  /** Wakes the waiting process, if any. */
  wake(): void {
    const process = this.#process;
    if (process === null) return;
    this.#process = null;
    process.wake(undefined, this);
  }

  describe(): string {
    const what = this.kind === REQUEST_KIND.item ? 'item' : this.kind === REQUEST_KIND.lock ? 'lock' : 'grab';
    const until = this.state === REQUEST_STATE.sent ? 'item done' : `grant of ${what}`;
    return `${until} by sequencer ${this.owner.fullName} for ${this.sequence?.fullName ?? '?'}`;
  }
}
