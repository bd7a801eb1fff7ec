/**
 * Receives that a queue pair owes as flushed (roce-transport.md 5.3, 6.3), because it must be in the error state: an
 * error of its requester, a request that its responder refused, a receive that failed, or software has taken it there.
 *
 * The moment at which it went there is not seen. But when the request that failed was posted it still worked, on both
 * sides of a reliable connection: receives that were posted by then are there when it fails, and must complete. Those
 * that software posts later, and does not know of the error, may wait for ever.
 */

import type { WorkCompletion } from '../../agents/verbs/verbsItems.ts';
import { QP_TYPE, WC_STATUS } from '../../rdma/verbs.ts';
import type { OracleState } from '../model/oracleState.ts';
import {
  NONE,
  Q_FLAGS,
  Q_HOST,
  Q_IN_HEAD,
  Q_QPN,
  Q_REMOTE_HOST,
  Q_REMOTE_QPN,
  Q_RQ_DONE,
  Q_RQ_HEAD,
  Q_RQ_MUST,
  Q_RQ_POSTED,
  Q_TIMES,
  Q_TYPE,
  QF_DEAD,
} from '../model/qps.ts';
import { R_NEXT } from '../model/requests.ts';

/** Statuses that tell a requester that its peer has gone to the error state. */
const REFUSALS: readonly number[] = [WC_STATUS.remInvReqErr, WC_STATUS.remAccessErr, WC_STATUS.remOpErr];

/** Receives that must complete and have not. */
export function owedReceives(s: OracleState, q: number): number {
  const w = s.qps.words;
  return Math.max(0, (w[q + Q_RQ_MUST] as number) - (w[q + Q_RQ_DONE] as number));
}

/** Request `r` of queue pair `q`, of either queue, has ended with an error that is its own. */
export function noteFailure(s: OracleState, q: number, r: number, { isSend, status }: WorkCompletion): void {
  const reliable = s.qps.words[q + Q_TYPE] === QP_TYPE.rc;
  if (isSend !== true) noteReceiveFailure(s, q, status);
  else if (reliable) {
    const posted = s.requests.postedAt(r);
    owe(s, q, posted);
    if (REFUSALS.includes(status)) noteRefusal(s, q, posted);
  }
}

/** Software begins to take a queue pair to the error state: what it has posted is flushed. */
export function noteStop(s: OracleState, q: number): void {
  raise(s, q, s.qps.words[q + Q_RQ_POSTED] as number);
}

/** The NIC has taken it there, or has been told of receives that were posted since: what is to be flushed is due from now on. */
export function noteStopped(s: OracleState, q: number): void {
  s.progress(q);
}

/** A receive has been posted: software that knows of the error has the NIC flush it. */
export function notePosted(s: OracleState, q: number): void {
  const w = s.qps.words;
  if (((w[q + Q_FLAGS] as number) & QF_DEAD) !== 0) raise(s, q, w[q + Q_RQ_POSTED] as number);
}

/** Nothing is owed any more: the queue pair is reset or destroyed. */
export function forgetOwed(s: OracleState, q: number): void {
  s.outstanding -= owedReceives(s, q);
  s.qps.words[q + Q_RQ_MUST] = NONE;
}

/** Since when (ps) what it flushes has been due at the latest: its latest completion, or the latest request. */
export function dueSince(s: OracleState, q: number): number {
  const { times, words } = s.qps;
  const t = words[q + Q_TIMES] as number;
  return Math.max(times[t] as number, times[t + 2] as number, times[t + 3] as number);
}

/**
 * On RC the requester tells of it, and when its request was posted. An unreliable receiver fails for want of a key; the
 * message may be any of those on their way, and was posted when the first of them was, or later.
 */
function noteReceiveFailure(s: OracleState, q: number, status: number): void {
  const w = s.qps.words;
  const message = w[q + Q_IN_HEAD] as number;
  if (w[q + Q_TYPE] === QP_TYPE.rc || status !== WC_STATUS.locProtErr || message === NONE) return;
  owe(s, q, s.requests.postedAt(message));
}

/** The peer has refused a request that was posted at `posted`. If it has been reset since, all its receives are younger. */
function noteRefusal(s: OracleState, q: number, posted: number): void {
  const w = s.qps.words;
  const peer = s.qps.peerOf(q);
  if (peer < 0 || w[peer + Q_REMOTE_HOST] !== w[q + Q_HOST] || w[peer + Q_REMOTE_QPN] !== w[q + Q_QPN]) return;
  owe(s, peer, posted);
}

/** A queue pair must be in the error state, and was not when something was posted at `time`. */
function owe(s: OracleState, q: number, time: number): void {
  let must = s.qps.words[q + Q_RQ_DONE] as number;
  for (let r = s.qps.words[q + Q_RQ_HEAD] as number; r !== NONE; r = s.requests.words[r + R_NEXT] as number) {
    if (s.requests.postedAt(r) > time) break;
    must++;
  }
  raise(s, q, must);
}

function raise(s: OracleState, q: number, must: number): void {
  const w = s.qps.words;
  const before = owedReceives(s, q);
  if (must > (w[q + Q_RQ_MUST] as number)) w[q + Q_RQ_MUST] = must;
  const more = owedReceives(s, q) - before;
  if (more === 0) return;
  s.outstanding += more;
  s.progress(q);
}
