/** Send queues that are being drained, and who waits for it: SQD with the SQ_DRAINED event (roce-transport.md 6.2). */

import { QP_STATE } from '../../rdma/verbs.ts';
import type { QpState } from '../../rdma/verbs.ts';
import { Event } from '../../uvm/kernel/event.ts';
import type { Proc } from '../../uvm/kernel/process.ts';
import { describe } from './qpTransitions.ts';
import type { Qp } from './verbsObjects.ts';

export class Drains {
  /** Of queue pairs in SQD whose event was asked for, by number. */
  readonly #drains = new Map<number, Drain>();
  /** Queue pairs that have had a completion with an error. */
  readonly #failed = new Set<number>();

  /** Software asks the NIC to drain the queue and to say when that is done. */
  begin(qp: Qp): void {
    this.#drains.set(qp.qpn, { event: new Event(`SQ_DRAINED of ${describe(qp)}`), held: true });
  }

  /** The NIC has refused to drain the queue. */
  refused(qpn: number): void {
    this.drained(qpn);
    this.#drains.delete(qpn);
  }

  /** A completion of the queue pair has an error: what is drained then has been flushed. */
  failed(qpn: number): void {
    this.#failed.add(qpn);
  }

  /** The NIC says that it is done. */
  drained(qpn: number): void {
    this.#drains.get(qpn)?.event.trigger();
  }

  /** The queue pair is in a state: outside of SQD nothing is drained any more, and nobody waits in vain. */
  entered(qpn: number, state: QpState): void {
    if (state === QP_STATE.sqd) return;
    if (state === QP_STATE.reset || state === QP_STATE.init) this.#failed.delete(qpn);
    this.drained(qpn);
    this.#drains.delete(qpn);
  }

  /** Software asks the NIC to take the queue pair out of SQD. */
  leave(qp: Qp): void {
    const drain = this.#drains.get(qp.qpn);
    if (drain !== undefined) drain.held = false;
  }

  /** Whether a queue pair that is drained has to be silent: nothing has failed, and software has asked for nothing since. */
  isHeld(qpn: number): boolean {
    return this.#drains.get(qpn)?.held === true && !this.#failed.has(qpn);
  }

  /** Whether the NIC has still to say that a queue pair is drained. */
  isAwaited(qpn: number): boolean {
    return this.#drains.get(qpn)?.event.isOn === false;
  }

  /** The device is gone, and nothing is drained any more: nobody waits in vain. */
  endAll(): void {
    for (const { event } of this.#drains.values()) event.trigger();
    this.#drains.clear();
    this.#failed.clear();
  }

  /** Ends at once when the queue has been drained. @returns undefined when nobody asked for the event */
  wait(qp: Qp): Proc<void> | undefined {
    return this.#drains.get(qp.qpn)?.event.waitOn();
  }
}

interface Drain {
  /** On when the NIC has said it. */
  readonly event: Event;
  /** Not once software takes the queue pair out of SQD: what the NIC says then may be late. */
  held: boolean;
}
