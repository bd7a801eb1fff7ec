/** Receives that will end with an error, which takes their queue pair to the error state (roce-transport.md 4.2, 4.6, 6.3). */

import type { QueuePair } from '../model/work.ts';
import { isBadReceive, isCutOff } from './badReceives.ts';
import { mayNotInvalidate } from './invalidations.ts';
import { doesNotFit } from './shortReceives.ts';

/**
 * Whether a message on its way to a queue pair ends the receive that it comes to. Its completion, and those of the
 * receives before it, may lie in a queue that software has not looked at yet.
 */
export function anyReceiveFails(q: QueuePair): boolean {
  for (let r = q.inbound.head; r.exists; r = r.link) if (mayNotInvalidate(r)) return true;
  if (q.rq.isShared) return anySharedFails(q);
  let recv = q.rq.head;
  if (isBadReceive(q, recv)) return true;
  for (let r = q.inbound.head; r.exists && recv.exists; r = r.link) {
    if (isCutOff(r, recv, q.headBytes) || doesNotFit(q, r, recv)) return true;
    recv = recv.next;
  }
  return false;
}

/** The same where others take receives too, so that it may be any. */
function anySharedFails(q: QueuePair): boolean {
  for (let recv = q.rq.head; recv.exists; recv = recv.next)
    for (let r = q.inbound.head; r.exists; r = r.link)
      if (isCutOff(r, recv, q.headBytes) || doesNotFit(q, r, recv)) return true;
  return false;
}
