/** Send queues that are being drained, and who waits for it: SQD with the SQ_DRAINED event (roce-transport.md 6.2). */

import { QP_STATE } from '../rdma/verbs.ts';
import type { QpState } from '../rdma/verbs.ts';
import { Event } from '../uvm/kernel/event.ts';
import type { Proc } from '../uvm/kernel/process.ts';
import { DONE } from './done.ts';
import { describe } from './qpTransitions.ts';
import type { Qp } from './verbsObjects.ts';

export class Drains {
  /** Of queue pairs in SQD whose event was asked for, by number; on when the NIC has said it. */
  readonly #events = new Map<number, Event>();
  /** Those that software is taking out of SQD: what the NIC says now may be late. */
  readonly #leaving = new Set<number>();

  /** Software asks the NIC to drain the queue and to say when that is done. */
  begin(qp: Qp): void {
    this.#events.set(qp.qpn, new Event(`SQ_DRAINED of ${describe(qp)}`));
    this.#leaving.delete(qp.qpn);
  }

  /** The NIC says that it is done. */
  drained(qpn: number): void {
    this.#events.get(qpn)?.trigger();
  }

  /** The queue pair is in a state: outside of SQD nothing is drained any more, and nobody waits in vain. */
  entered(qpn: number, state: QpState): void {
    if (state === QP_STATE.sqd || !this.#events.has(qpn)) return;
    this.drained(qpn);
    this.#events.delete(qpn);
  }

  /** Software asks the NIC to take the queue pair out of SQD. */
  leave(qp: Qp): void {
    this.#leaving.add(qp.qpn);
  }

  /** Whether a queue pair that is drained has to be silent: software has not asked for anything else since. */
  isHeld(qpn: number): boolean {
    return this.#events.has(qpn) && !this.#leaving.has(qpn);
  }

  /** Whether `wait` may be called. */
  isAwaited(qp: Qp): boolean {
    return this.#events.has(qp.qpn);
  }

  /** Returns at once when the queue has been drained. */
  wait(qp: Qp): Proc<void> {
    return this.#events.get(qp.qpn)?.waitOn() ?? DONE;
  }
}
