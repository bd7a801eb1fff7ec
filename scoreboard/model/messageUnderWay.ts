/**
 * Which request the packets of a queue pair belong to: its messages are sent in the order of posting, and each begins
 * with a packet that says so.
 */

import { firstSent, type Message, type QueuePair, UNATTRIBUTED, NO_MESSAGE } from './work.ts';
import type { OracleState } from './oracleState.ts';

/** The request `r` is about to be appended to the send queue of `q`. */
export function noteSendPosted(q: QueuePair, r: Message): void {
  if (q.tx.next === NO_MESSAGE || !q.sq.head.exists) q.tx.next = r;
}

/** The request `r` has left its send queue. */
export function noteSendLeft(r: Message): void {
  const q = r.qp;
  if (q.tx.now === r) q.tx.now = NO_MESSAGE;
  if (q.tx.next === r) q.tx.next = r.next;
}

/** Which request of `q` is sent next is open, until its send queue has been empty: it has failed, or a packet is broken. */
export function losePosition(q: QueuePair): void {
  q.tx.next = UNATTRIBUTED;
  q.tx.now = NO_MESSAGE;
}

/**
 * What is in the send queue of `q` now is carried out in order: finds the position again by the messages that have been
 * sent to their end, of which each has a completion, or will have.
 */
export function findPosition(s: OracleState, q: QueuePair): void {
  if (q.tx.next !== UNATTRIBUTED || !s.options.wire.watches) return;
  let begun = q.tx.count - q.sq.done + (q.tx.now === UNATTRIBUTED ? 1 : 0);
  if (begun < 0) return;
  let r = q.sq.head;
  for (; begun > 0 && r.exists; begun--) r = firstSent(r).next;
  q.tx.next = r;
}

/** Whether the message of request `r` may have begun on the wire. */
export function mayHaveBegun(s: OracleState, r: Message): boolean {
  const next = r.qp.tx.next;
  return !s.options.wire.watches || !next.exists || r.isBefore(next.order);
}

/** A message of `q` begins with a packet that was not sent before. @returns its request, none of those that exist when that is not known */
export function beginMessage(q: QueuePair, psn: number): Message {
  if (q.sendsFail) losePosition(q);
  const r = firstSent(q.tx.next);
  if (r.exists) q.tx.next = r.next;
  q.tx.now = r;
  q.tx.first = psn;
  return r;
}
