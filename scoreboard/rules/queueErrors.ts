/**
 * Queues that an error has stopped (roce-transport.md 5.3, 6.1): the first error of a queue is followed by flushed
 * requests only. It takes the whole queue pair to ERR; a send error of UC and UD only the send queue, to SQE, out of
 * which software may bring it again.
 */

import type { WorkCompletion } from '../../agents/verbs/verbsItems.ts';
import { QP_TYPE, WC_STATUS } from '../../rdma/verbs.ts';
import { findPosition, losePosition } from '../model/messageUnderWay.ts';
import type { OracleState } from '../model/oracleState.ts';
import {
  NONE,
  Q_FLAGS,
  Q_SQ_HEAD,
  Q_TYPE,
  Q_WAITS_FROM,
  QF_BROKEN,
  QF_RECV_ERROR,
  QF_RESUMES,
  QF_SEND_ERROR,
  QF_SENDS_FAIL,
  QF_SENDS_LOST,
  QF_STOPS,
} from '../model/qps.ts';

/** Whether what ends now may be the consequence of an error that was seen before. */
export function isAfterError(flags: number, wc: WorkCompletion): boolean {
  return (flags & (wc.isSend === true ? QF_SENDS_FAIL : QF_BROKEN)) !== 0;
}

/** Whether a completion does not say that its request was flushed, although one before it in its queue failed. */
export function isNotFlushed(flags: number, wc: WorkCompletion): boolean {
  return (flags & (wc.isSend === true ? QF_SEND_ERROR : QF_RECV_ERROR)) !== 0 && wc.status !== WC_STATUS.wrFlushErr;
}

/** A completion with an error. @returns true when it takes a queue pair down that was sound: nothing reaches it any more */
export function noteError(s: OracleState, q: number, r: number, wc: WorkCompletion): boolean {
  const w = s.qps.words;
  const flags = w[q + Q_FLAGS] as number;
  w[q + Q_WAITS_FROM] = NONE;
  if (wc.isSend === true && wc.status !== WC_STATUS.wrFlushErr && isRecovered(s, q, r)) return false;
  // Flushed without an error behind those that stopped it before: not yet in RTS when its turn came.
  if (wc.isSend === true && (flags & QF_RESUMES) !== 0 && wc.status === WC_STATUS.wrFlushErr) return false;
  // Flushed without an error before it, or stopped: the queue pair is in ERR, or will be, for another reason.
  const sound = wc.status !== WC_STATUS.wrFlushErr && (flags & QF_STOPS) === 0;
  const alone = sound && wc.isSend === true && w[q + Q_TYPE] !== QP_TYPE.rc;
  const whole = !alone && (wc.isSend !== true || (flags & QF_SEND_ERROR) === 0);
  const side = wc.isSend === true ? QF_SEND_ERROR | QF_SENDS_LOST : QF_RECV_ERROR;
  // With an error of its own it was in RTS again, and is stopped again.
  const kept = wc.isSend === true ? flags & ~QF_RESUMES : flags;
  w[q + Q_FLAGS] = kept | side | (whole ? QF_BROKEN : 0);
  if (!whole || (flags & QF_BROKEN) !== 0) return false;
  s.broken.add(q);
  return true;
}

/** Whether software had learned of the error of a request from QUERY_QP, and has ended that stop, or is about to. */
function isRecovered(s: OracleState, q: number, r: number): boolean {
  const recovery = s.recoveries.get(q);
  const w = s.qps.words;
  const flags = w[q + Q_FLAGS] as number;
  if (recovery === undefined || (flags & QF_BROKEN) !== 0 || !s.requests.isBefore(r, recovery.from)) return false;
  w[q + Q_FLAGS] = flags | QF_RESUMES | QF_SENDS_LOST;
  if (--recovery.times === 0) s.recoveries.delete(q);
  // Until software has done it, also what it has posted since it ended an earlier stop may be flushed.
  if (recovery.ended) s.resumed.set(q, s.requests.nextOrder);
  else s.resumed.delete(q);
  return true;
}

/** Software is about to take the send queue out of SQE. */
export function resuming(s: OracleState, q: number): void {
  const w = s.qps.words;
  const flags = w[q + Q_FLAGS] as number;
  if (!s.held.has(q) || (flags & QF_SEND_ERROR) !== 0) losePosition(s, q);
  // In SQD or SQE it was not served.
  w[q + Q_WAITS_FROM] = NONE;
  if ((flags & QF_BROKEN) !== 0) return;
  if ((flags & QF_SEND_ERROR) === 0) {
    const stopped = w[q + Q_TYPE] !== QP_TYPE.rc && !s.held.has(q);
    const times = (s.recoveries.get(q)?.times ?? 0) + 1;
    if (stopped) s.recoveries.set(q, { from: s.requests.nextOrder, ended: false, times });
    return;
  }
  w[q + Q_FLAGS] = (flags & ~QF_SEND_ERROR) | QF_RESUMES;
  s.resumed.delete(q);
}

/** It has done so. What is in the queue now may still be flushed, or be carried out; what comes behind that must be carried out. */
export function resumed(s: OracleState, q: number): void {
  const recovery = s.recoveries.get(q);
  if (recovery !== undefined) recovery.ended = true;
  if (((s.qps.words[q + Q_FLAGS] as number) & QF_RESUMES) === 0) return;
  s.resumed.set(q, s.requests.nextOrder);
  noteLeft(s, q);
}

/** Requests have left the send queue of a queue pair that resumes: it is judged again once those of before are gone. */
export function noteLeft(s: OracleState, q: number): void {
  const w = s.qps.words;
  const order = s.resumed.get(q);
  const head = w[q + Q_SQ_HEAD] as number;
  if (order === undefined || (head !== NONE && s.requests.isBefore(head, order))) return;
  s.resumed.delete(q);
  w[q + Q_FLAGS] = (w[q + Q_FLAGS] as number) & ~QF_RESUMES;
  findPosition(s, q);
}

/** As `noteLeft`, of all queue pairs. */
export function noteAllLeft(s: OracleState): void {
  for (const q of s.resumed.keys()) noteLeft(s, q);
}
