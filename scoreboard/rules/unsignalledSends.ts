/**
 * Requests that asked for no completion (roce-transport.md 5.2): nobody says that they have been carried out, but a
 * completion behind them, and what the wire has shown. With an error, and flushed, each has a completion of its own.
 */

import { QP_TYPE } from '../../rdma/verbs.ts';
import type { OracleState } from '../model/oracleState.ts';
import { isSilent } from '../model/operations.ts';
import type { Message, QueuePair } from '../model/work.ts';

/**
 * How many of the oldest requests of a send queue its NIC has certainly carried out, as far as it has had the time to deal
 * with what has reached it: of reliable connections those of which an answer has, of the others what has been sent. Where
 * nobody watches the wire, all are taken to be done that no fault may have hit: for when nothing is in flight any more.
 */
export function executedSends(s: OracleState, q: QueuePair): number {
  const { wire } = s.options;
  // Behind an error everything is flushed.
  if (q.sq.failed) return 0;
  if (!wire.watches) return s.disturbances.has(q) || q.isDraining ? 0 : q.sq.length;
  const unheard = q.type === QP_TYPE.rc ? wire.unanswered(q.host, q.remoteHost, q.remoteQpn) : 0;
  return Math.max(0, q.tx.count - unheard - q.sq.done);
}

/** The oldest request of a send queue that wants a completion, or has certainly not been carried out yet; none where there is none. */
export function oldestUndone(s: OracleState, q: QueuePair): Message {
  let oldest = q.sq.head;
  if (!oldest.exists || oldest.signalled || q.sq.failed) return oldest;
  let done = s.options.wire.watches ? executedSends(s, q) : Number.POSITIVE_INFINITY;
  while (oldest.exists && !oldest.signalled) {
    // Nothing shows that a key has changed but what comes behind it.
    if (!isSilent(oldest.opcode) && done-- <= 0) break;
    oldest = oldest.next;
  }
  return oldest;
}
