/**
 * Messages of reliable connections that are longer than their receive: the receiver completes with LOC_LEN_ERR, the
 * sender with REM_INV_REQ_ERR (roce-transport.md 4.6), in either order.
 */

import { CAUSE } from '../model/outcomes.ts';
import type { Profiles } from '../model/profiles.ts';
import type { Message, QueuePair, Receive } from '../model/work.ts';
import { QP_TYPE } from '../../rdma/verbs.ts';
import { mayMeet } from './takenReceives.ts';
import { shortRequestName } from '../model/names.ts';
import { OP_WRITE, operationKind } from '../model/operations.ts';

/** Whether the message that a receive is for, which has just left its queue, does not fit in it. */
export function isShort(q: QueuePair, recv: Receive): boolean {
  return doesNotFit(q, q.inbound.head, recv);
}

/** Notes that a receiver found its receive too short: the sender must hear of it. */
export function noteShort(q: QueuePair, recv: Receive): void {
  if (!isShort(q, recv)) return;
  const message = q.inbound.head;
  message.outcomes.only(CAUSE.receiveLength, `${shortRequestName(recv)} is too short for it`);
}

/** Whether the receive that a message comes to, which has not completed, is too short for it. */
export function isTooLong(r: Message): boolean {
  return mayMeet(r, (recv) => doesNotFit(r.dest, r, recv));
}

/**
 * A queue pair fails, and takes none of the messages on their way to it: where software knows the receives of its peers it
 * may refuse those that do not fit all the same.
 * @param left receive that has just left its queue; `NO_RECEIVE` for none @param profiles of the NICs that send them
 */
export function noteKnownShort(q: QueuePair, left: Receive, profiles: Profiles): void {
  let recv = left.exists ? left : q.rq.head;
  for (let r = q.inbound.head; r.exists && recv.exists; r = r.link) {
    if (profiles.of(r.qp.host).knowsReceives === true && doesNotFit(q, r, recv))
      r.outcomes.allow(CAUSE.receiveMayBeShort);
    recv = recv === left ? q.rq.head : recv.next;
  }
}

/** Whether a message to queue pair `q` is longer than a receive; on unreliable services it is never that which fails. */
export function doesNotFit(q: QueuePair, message: Message, recv: Receive): boolean {
  if (!message.exists || !recv.exists || q.type !== QP_TYPE.rc) return false;
  const kind = operationKind(message.opcode);
  return (kind & OP_WRITE) === 0 && message.length > recv.length;
}
