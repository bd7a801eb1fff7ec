/**
 * SENDs with invalidate whose key may not be invalidated: the receive that they fill ends with an error, and their sender is told nothing,
 * or of an access error (roce-transport.md 4.2, 4.6).
 */

import { WR_OPCODE } from '../../rdma/verbs.ts';
import { CAUSE } from '../model/outcomes.ts';
import { type Message, type QueuePair, type Receive, NO_MESSAGE } from '../model/work.ts';

/** Whether a message must not invalidate its key, so that no receive completes with success for it. */
export function mustNotInvalidate({ outcomes }: Message): boolean {
  return outcomes.has(CAUSE.invalidationUnanswered) || outcomes.has(CAUSE.invalidationRefused);
}

/** Whether a message may find its key in a state in which it cannot be invalidated. */
export function mayNotInvalidate(r: Message): boolean {
  if (r.opcode !== WR_OPCODE.sendWithInv) return false;
  return mustNotInvalidate(r) || r.outcomes.has(CAUSE.refusedInSilence) || r.outcomes.has(CAUSE.keyDeregistered);
}

/** Whether the message that a receive is for, which has just left its queue, is such a one. */
export function endsInvalidation(q: QueuePair, recv: Receive): boolean {
  if (recv.takenBy !== NO_MESSAGE && recv.takenBy.exists) return mayNotInvalidate(recv.takenBy);
  for (let r = q.inbound.head; r.exists; r = r.link) {
    if (mayNotInvalidate(r)) return true;
    if (!r.mayVanish && !q.rq.isShared) return false;
  }
  return false;
}
