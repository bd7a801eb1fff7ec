/**
 * Queues that an error has stopped (roce-transport.md 5.3, 6.1): the first error of a queue is followed by flushed
 * requests only. It takes the whole queue pair to ERR; a send error of UC and UD only the send queue, to SQE, out of
 * which software may bring it again.
 */

import { type QueuePair, NONE, type AnyRequest } from '../model/work.ts';
import type { WorkCompletion } from '../../agents/verbs/verbsItems.ts';
import { QP_TYPE, WC_STATUS } from '../../rdma/verbs.ts';
import { findPosition, losePosition } from '../model/messageUnderWay.ts';
import type { OracleState } from '../model/oracleState.ts';

/** Whether what ends now may be the consequence of an error that was seen before. */
export function isAfterError(q: QueuePair, wc: WorkCompletion): boolean {
  return wc.isSend === true ? q.sendsFail : q.broken;
}

/** Whether a request before that of a completion has failed in its queue: it must be flushed. */
export function mustBeFlushed(q: QueuePair, wc: WorkCompletion): boolean {
  return wc.isSend === true ? q.sq.failed : q.recvFailed;
}

/** A completion with an error. @returns true when it takes a queue pair down that was sound: nothing reaches it any more */
export function noteError(s: OracleState, q: QueuePair, r: AnyRequest, wc: WorkCompletion): boolean {
  q.waitsFrom = NONE;
  if (wc.isSend === true && wc.status !== WC_STATUS.wrFlushErr && isRecovered(s, q, r)) return false;
  // Flushed without an error behind those that stopped it before: not yet in RTS when its turn came.
  if (wc.isSend === true && q.sq.resuming && wc.status === WC_STATUS.wrFlushErr) return false;
  // Flushed without an error before it: the queue pair is in ERR, or will be, for another reason. With an error of its own a
  // request was carried out, also where the queue pair may go to ERR yet.
  const alone = wc.status !== WC_STATUS.wrFlushErr && wc.isSend === true && q.type !== QP_TYPE.rc;
  const whole = !alone && (wc.isSend !== true || !q.sq.failed);
  const goesDown = whole && !q.broken;
  if (wc.isSend === true) {
    // Also one that resumes: with an error of its own it was in RTS again, and is stopped again.
    q.sq.stopped.set(true);
    q.sendsLost = true;
  } else q.recvFailed = true;
  if (whole) q.broken = true;
  if (!goesDown) return false;
  s.broken.add(q);
  return true;
}

/** Whether software had learned of the error of a request from QUERY_QP, and has ended that stop, or is about to. */
function isRecovered(s: OracleState, q: QueuePair, r: AnyRequest): boolean {
  const recovery = s.recoveries.get(q);
  if (recovery === undefined || q.broken || !r.isBefore(recovery.from)) return false;
  q.sendsLost = true;
  if (--recovery.times === 0) s.recoveries.delete(q);
  // Until software has done it, also what it has posted since it ended an earlier stop may be flushed.
  beginResumption(s, q);
  if (recovery.ended) endResumption(s, q);
  return true;
}

/** Software is about to take the send queue out of SQE. */
export function resuming(s: OracleState, q: QueuePair): void {
  if (!q.isDraining || q.sq.failed) losePosition(q);
  // In SQD or SQE it was not served.
  q.waitsFrom = NONE;
  if (q.broken) return;
  if (!q.sq.failed) {
    const stopped = q.type !== QP_TYPE.rc && !q.isDraining;
    const times = (s.recoveries.get(q)?.times ?? 0) + 1;
    if (stopped) s.recoveries.set(q, { from: s.requests.nextOrder, ended: false, times });
    return;
  }
  beginResumption(s, q);
}

/** It has done so. What is in the queue now may still be flushed, or be carried out; what comes behind that must be carried out. */
export function resumed(s: OracleState, q: QueuePair): void {
  const recovery = s.recoveries.get(q);
  if (recovery !== undefined) recovery.ended = true;
  // An error that has shown since it began, at which nothing was known of a stop, is the one which this has ended.
  if (!q.sq.resuming && (!q.sq.failed || q.broken || !q.isDraining)) return;
  // There may have been another stop since, which nothing has told of.
  beginResumption(s, q);
  endResumption(s, q);
  noteLeft(s, q);
}

/** Requests have left the send queue of a queue pair that resumes: it is judged again once those of before are gone. */
export function noteLeft(s: OracleState, q: QueuePair): void {
  const { stopped, head } = q.sq;
  if (stopped.isOpen || (head.exists && stopped.mayBe(true, head.order))) return;
  stopped.set(false);
  findPosition(s, q);
}

/** As `noteLeft`, of all queue pairs. */
export function noteAllLeft(s: OracleState): void {
  for (const q of s.resuming) {
    if (q.sq.resuming) noteLeft(s, q);
    if (!q.sq.resuming) s.resuming.delete(q);
  }
}

/** Software takes the send queue out of SQE: what is posted may meet it stopped, or be carried out. */
function beginResumption(s: OracleState, q: QueuePair): void {
  s.resuming.add(q);
  q.sq.stopped.set(true);
  q.sq.stopped.begin(false, s.requests.nextOrder);
}

/** It has done so: the request posted last is the last one that may have met it stopped. */
function endResumption(s: OracleState, q: QueuePair): void {
  q.sq.stopped.end(s.requests.nextOrder - 1);
}
