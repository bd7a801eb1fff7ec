/**
 * Receives that a queue pair owes as flushed (roce-transport.md 5.3, 6.3), because it must be in the error state: an
 * error of its requester, a request that its responder refused, a receive that failed, or software has taken it there.
 *
 * The moment at which it went there is not seen. But when the request that failed was posted it still worked, on both
 * sides of a reliable connection: receives that were posted by then are there when it fails, and must complete. Those
 * that software posts later, and does not know of the error, may wait for ever.
 */

import { type QueuePair, NONE, type AnyRequest } from '../model/work.ts';
import type { WorkCompletion } from '../../agents/verbs/verbsItems.ts';
import { QP_TYPE, WC_STATUS } from '../../rdma/verbs.ts';
import type { OracleState } from '../model/oracleState.ts';

/** Statuses that tell a requester that its peer has gone to the error state. */
const REFUSALS: readonly number[] = [WC_STATUS.remInvReqErr, WC_STATUS.remAccessErr, WC_STATUS.remOpErr];

/** Receives that must complete and have not. */
export function owedReceives(q: QueuePair): number {
  return Math.max(0, q.mustFlush - q.rq.done);
}

/** Request `r` of queue pair `q`, of either queue, has ended with an error that is its own. */
export function noteFailure(s: OracleState, q: QueuePair, r: AnyRequest, { isSend, status }: WorkCompletion): void {
  const reliable = q.type === QP_TYPE.rc;
  if (isSend !== true) noteReceiveFailure(s, q, status);
  else if (reliable) {
    const posted = r.postedAt;
    owe(s, q, posted);
    if (REFUSALS.includes(status)) noteRefusal(s, q, posted);
  }
}

/** Software begins to take a queue pair to the error state: what it has posted is flushed. */
export function noteStop(s: OracleState, q: QueuePair): void {
  if (!q.rq.isShared) raise(s, q, q.rq.posted);
}

/** The NIC has taken it there, or has been told of receives that were posted since: what is to be flushed is due from now on. */
export function noteStopped(s: OracleState, q: QueuePair): void {
  s.progress(q);
}

/** A receive has been posted: software that knows of the error has the NIC flush it. */
export function notePosted(s: OracleState, q: QueuePair): void {
  if (q.dead) raise(s, q, q.rq.posted);
}

/** Nothing is owed any more: the queue pair is reset or destroyed. */
export function forgetOwed(s: OracleState, q: QueuePair): void {
  s.outstanding -= owedReceives(q);
  q.mustFlush = NONE;
}

/** Since when (ps) what it flushes has been due at the latest: its latest completion, or the latest request. */
export function dueSince(q: QueuePair): number {
  return Math.max(q.progressAt, q.rq.postedAt, q.sq.postedAt);
}

/**
 * On RC the requester tells of it, and when its request was posted. An unreliable receiver fails for want of a key; the
 * message may be any of those on their way, and was posted when the first of them was, or later.
 */
function noteReceiveFailure(s: OracleState, q: QueuePair, status: number): void {
  const message = q.inbound.head;
  if (q.type === QP_TYPE.rc || status !== WC_STATUS.locProtErr || !message.exists) return;
  owe(s, q, message.postedAt);
}

/** The peer has refused a request that was posted at `posted`. If it has been reset since, all its receives are younger. */
function noteRefusal(s: OracleState, q: QueuePair, posted: number): void {
  const peer = s.qps.peerOf(q);
  if (!peer.exists || peer.remoteHost !== q.host || peer.remoteQpn !== q.qpn) return;
  owe(s, peer, posted);
}

/** A queue pair must be in the error state, and was not when something was posted at `time`. */
function owe(s: OracleState, q: QueuePair, time: number): void {
  // Of a shared queue others take what it has not taken.
  if (q.rq.isShared) return;
  let must = q.rq.done;
  for (let r = q.rq.head; r.exists; r = r.next) {
    if (r.postedAt > time) break;
    must++;
  }
  raise(s, q, must);
}

function raise(s: OracleState, q: QueuePair, must: number): void {
  if (s.cqOverflows.isLost(q.host, q.recvCqn)) return;
  const before = owedReceives(q);
  if (must > q.mustFlush) q.mustFlush = must;
  const more = owedReceives(q) - before;
  if (more === 0) return;
  s.outstanding += more;
  s.progress(q);
}
