/** Which of the outstanding requests of a queue pair a PSN belongs to, as far as the wire shows what was sent. */

import { psnsOf } from '../../agents/wire/psnArithmetic.ts';
import { firstSent, type Message, type QueuePair, NONE } from './work.ts';
import { PSN_MASK } from '../../rdma/bth.ts';
import { HALF_PSN } from '../checks/transmissions.ts';

/**
 * Position among the outstanding requests of the one that a PSN belongs to, or -1. Of those that were sent to their
 * end the last ends with the highest PSN seen; the next one may be on its way.
 */
export function indexOfPsn(q: QueuePair, psn: number): number {
  const highest = q.tx.psn;
  const complete = q.tx.count - retiredOf(q);
  // A request that was cut short by an error has completed, and the packet may be one of its first.
  if (complete < 0) return -1;
  const packets: number[] = [];
  let r = firstSent(headOf(q));
  for (; r.exists && packets.length < complete; r = firstSent(r.next)) {
    packets.push(psnsOf(r.length, q.mtu));
  }
  let left = highest === NONE ? 0 : (highest + 1 - psn) & PSN_MASK;
  if (left === 0 || left >= HALF_PSN) return !r.exists ? -1 : packets.length;
  for (let i = packets.length - 1; i >= 0; i--) {
    left -= packets[i] as number;
    if (left <= 0) return i;
  }
  return -1;
}

/** The outstanding request at a position of `indexOfPsn`. */
export function outstandingAt(q: QueuePair, index: number): Message {
  let r = firstSent(headOf(q));
  for (let i = 0; i < index; i++) r = firstSent(r.next);
  return r;
}

/** Requests of a queue pair that have completed. */
export function retiredOf(q: QueuePair): number {
  return q.sq.posted - q.sq.length;
}

/** The oldest request of a send queue, or `NO_MESSAGE`. */
export function headOf(q: QueuePair): Message {
  return q.sq.head;
}
