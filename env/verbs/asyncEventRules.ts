/** Asynchronous events that cannot be: for queue pairs and completion queues that have done nothing of the kind. */

import { ASYNC_EVENT } from '../../rdma/verbs.ts';
import { cqName } from './cqName.ts';
import type { Drains } from './drains.ts';
import type { HostObjects } from './hostObjects.ts';
import { describe } from './qpTransitions.ts';
import type { Cq, Qp } from './verbsObjects.ts';

/** Events after which the queue pair they name is in ERR. */
const QP_ERRORS: readonly number[] = [ASYNC_EVENT.qpFatal, ASYNC_EVENT.qpReqErr, ASYNC_EVENT.qpAccessErr];

/** Events of a queue pair, by its number. */
const QP_EVENTS: readonly number[] = [...QP_ERRORS, ASYNC_EVENT.sqDrained, ASYNC_EVENT.commEst];

/** Whether an event says that its queue pair is in ERR now. */
export function isQpError(event: number): boolean {
  return QP_ERRORS.includes(event);
}

export class AsyncEventRules {
  readonly #objects: HostObjects;
  readonly #drains: Drains;
  /** Queue pairs that an event has said to be in ERR, and how often software had changed them by then. */
  readonly #inError = new WeakMap<Qp, number>();
  readonly #filled = new WeakSet<Cq>();
  /** Queue pairs that software has taken to RTR since an event last said that a peer talks to them. */
  readonly #listening = new WeakSet<Qp>();

  constructor(objects: HostObjects, drains: Drains) {
    this.#objects = objects;
    this.#drains = drains;
  }

  /** Every entry of a completion queue holds something: the next completion may find no room. */
  filled(cq: Cq): void {
    this.#filled.add(cq);
  }

  /** Software takes a queue pair to RTR: a peer may talk to it before the command has ended. */
  listens(qp: Qp): void {
    this.#listening.add(qp);
  }

  /** What is wrong with an event that has come, '' where it may be right. To be asked once for each. */
  problem(event: number, number: number): string {
    if (event === ASYNC_EVENT.cqErr) return this.#overrun(number);
    if (QP_EVENTS.includes(event) && !this.#objects.qpns.has(number)) return `there never was a queue pair ${number}`;
    const qp = this.#objects.qps.get(number);
    if (event === ASYNC_EVENT.sqDrained) {
      const asked = this.#drains.takeAsked(number);
      return asked || qp === undefined ? '' : `${describe(qp)}: nobody asked whether its send queue is drained`;
    }
    if (qp === undefined) return '';
    if (event === ASYNC_EVENT.commEst && !this.#listening.delete(qp)) {
      return `${describe(qp)}: an event has said so since it went to RTR`;
    }
    return isQpError(event) ? this.#again(qp) : '';
  }

  #overrun(cqn: number): string {
    if (!this.#objects.cqns.has(cqn)) return `there never was a completion queue ${cqn}`;
    for (const cq of this.#objects.cqs) {
      if (cq.cqn !== cqn || this.#filled.has(cq)) continue;
      return `${cqName(cq, this.#objects.qps.values())}: its ${cq.entries} entries were never all in use`;
    }
    return '';
  }

  #again(qp: Qp): string {
    const again = this.#inError.get(qp) === qp.changes;
    this.#inError.set(qp, qp.changes);
    return again ? `${describe(qp)}: an event has said already that it is in ERR` : '';
  }
}
