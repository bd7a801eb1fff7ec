/** What each queue pair still waits for, for stall, end-of-test and deadlock messages. */

import { QP_TYPE } from '../../rdma/verbs.ts';
import { dueSince, owedReceives } from '../checks/flushes.ts';
import { isHeld } from '../rules/heldSends.ts';
import { qpName, requestName, shortRequestName } from '../model/names.ts';
import type { OracleState } from '../model/oracleState.ts';
import {
  NONE,
  Q_FLAGS,
  Q_HOST,
  Q_IN_HEAD,
  Q_RQ_HEAD,
  Q_SQ_HEAD,
  Q_TYPE,
  QF_BROKEN,
  QF_DEAD,
  QF_GONE,
  QF_READY,
  QF_SEND_ERROR,
  QF_SENDS_FAIL,
} from '../model/qps.ts';
import { R_DEST, R_LINK, R_NEXT, R_QP, R_STATE, S_AWAITED, S_DATA, S_SIGNALLED } from '../model/requests.ts';
import { counted, countedAre } from '../../uvm/report/counted.ts';

/** Number of requests and the oldest of them. */
interface Waiting {
  readonly count: number;
  readonly first: number;
}

/** Signalled sends without a completion. */
function waitingSends(s: OracleState, q: number): Waiting {
  return count(s, s.qps.words[q + Q_SQ_HEAD] as number, R_NEXT, S_SIGNALLED);
}

/** Messages on their way to this queue pair whose receive has not completed. */
export function waitingMessages(s: OracleState, q: number): Waiting {
  return count(s, s.qps.words[q + Q_IN_HEAD] as number, R_LINK, S_AWAITED);
}

/** True when a queue pair may be expected to get on with its work. */
export function isAlive(s: OracleState, q: number): boolean {
  return ((s.qps.words[q + Q_FLAGS] as number) & (QF_READY | QF_BROKEN | QF_GONE)) === QF_READY;
}

/** Whether an error, or software, has stopped its send queue at least, so that this must be flushed. */
function hasFailed(s: OracleState, q: number): boolean {
  const flags = s.qps.words[q + Q_FLAGS] as number;
  return (flags & (QF_READY | QF_GONE)) === QF_READY && (flags & (QF_BROKEN | QF_SEND_ERROR | QF_DEAD)) !== 0;
}

/** What a queue pair that has failed still has to flush (roce-transport.md 5.3), in words; undefined when it has done so. */
export function unflushedOf(s: OracleState, q: number): string | undefined {
  const what = unflushed(s, q, hasFailed(s, q));
  return what === '' ? undefined : `${qpName(s, q)} has failed and has not flushed ${what}`;
}

/**
 * What a queue pair that has failed has not flushed when software resets or destroys it, although its NIC came to rest
 * after the latest completion and the latest request; undefined when nothing is missing, or it is not known.
 */
export function lostFlushesOf(s: OracleState, q: number): string | undefined {
  const what = unflushed(s, q, hasFailed(s, q));
  const host = s.qps.words[q + Q_HOST] as number;
  if (what === '' || s.options.wire?.hasPaused(host, dueSince(s, q)) !== true) return undefined;
  return `${qpName(s, q)} has failed, and its NIC came to rest without flushing ${what}`;
}

/** Requests that must be flushed and are not, those of the send queue if it `sends`; '' when there are none. */
function unflushed(s: OracleState, q: number, sends: boolean): string {
  const { count: left, first } = sends ? waitingSends(s, q) : { count: 0, first: NONE };
  const receives = owedReceives(s, q);
  const what = [
    ...(left > 0 ? [`${counted(left, 'send request')}, first ${shortRequestName(s, first)}`] : []),
    ...(receives > 0
      ? [`${counted(receives, 'receive')}, first ${shortRequestName(s, s.qps.words[q + Q_RQ_HEAD] as number)}`]
      : []),
  ];
  return what.join(' and ');
}

/** What a queue pair waits for, one line each; none when nothing is outstanding or it has failed. */
export function pendingOf(s: OracleState, q: number): string[] {
  if (!isAlive(s, q)) return [];
  const lines: string[] = [];
  const sends = waitingSends(s, q);
  if (sends.count > 0 && ((s.qps.words[q + Q_FLAGS] as number) & QF_SENDS_FAIL) === 0)
    lines.push(
      `${qpName(s, q)} waits for ${counted(sends.count, 'send completion')}, first of ${shortRequestName(s, sends.first)}${heldText(s, sends.first)}`,
    );
  const messages = waitingMessages(s, q);
  if (messages.count > 0) {
    const receives = s.qps.receives(q);
    lines.push(
      `${qpName(s, q)} waits for ${counted(messages.count, 'receive completion')} (${countedAre(receives, 'receive')} posted), ` +
        `first for ${requestName(s, messages.first)}${heldText(s, messages.first)}`,
    );
  }
  return lines;
}

/** What keeps a queue pair from getting on, as bits. */
export const OWES = {
  /** Software must post a receive for the oldest message from or to it. */
  receive: 1,
  /** Software must take it, or the sender of what is on its way to it, out of SQD. */
  resumption: 2,
} as const;

/** What software must do before a queue pair can get on, `OWES` bits; 0 when it is the turn of a NIC. */
export function softwareOwes(s: OracleState, q: number): number {
  const send = waitingSends(s, q).first;
  const forSend = send === NONE ? 0 : owedTo(s, send, awaitsReceive(s, q, send));
  const message = firstDueMessage(s, q);
  const forMessage = message === NONE ? 0 : owedTo(s, message, s.qps.words[q + Q_RQ_HEAD] === NONE);
  const nics = (send !== NONE && forSend === 0) || (message !== NONE && forMessage === 0);
  return nics ? 0 : forSend | forMessage;
}

function owedTo(s: OracleState, r: number, receive: boolean): number {
  if (isHeld(s, r)) return OWES.resumption;
  return receive ? OWES.receive : 0;
}

/** Of the messages on their way the first that its sender does not hold back, or else the first, or `NONE`. */
function firstDueMessage(s: OracleState, q: number): number {
  const m = s.requests.words;
  const { first } = waitingMessages(s, q);
  if (s.held.size === 0) return first;
  let holder: number = NONE;
  for (let r = first; r !== NONE; r = m[r + R_LINK] as number) {
    // What a queue pair has posted behind something that waits does so as well.
    if (((m[r + R_STATE] as number) & S_AWAITED) === 0 || m[r + R_QP] === holder) continue;
    if (!isHeld(s, r)) return r;
    holder = m[r + R_QP] as number;
  }
  return first;
}

/**
 * Only RC holds a send back until a receive is there, and only until its message was received. Who sends to a queue pair
 * in ERR must find out that no receive helps, unless it waits for ever.
 */
function awaitsReceive(s: OracleState, q: number, send: number): boolean {
  const m = s.requests.words;
  const dest = m[send + R_DEST] as number;
  if (s.qps.words[q + Q_TYPE] !== QP_TYPE.rc || ((m[send + R_STATE] as number) & S_DATA) === 0) return false;
  if (dest === NONE || s.qps.words[dest + Q_RQ_HEAD] !== NONE) return false;
  const takesNone = ((s.qps.words[dest + Q_FLAGS] as number) & (QF_DEAD | QF_BROKEN)) !== 0;
  return !takesNone || s.qps.patience(q) === 0;
}

function heldText(s: OracleState, r: number): string {
  return isHeld(s, r) ? ', which waits in SQD' : '';
}

function count(s: OracleState, head: number, link: number, bit: number): Waiting {
  const m = s.requests.words;
  let n = 0;
  let first: number = NONE;
  for (let r = head; r !== NONE; r = m[r + link] as number) {
    if (((m[r + R_STATE] as number) & bit) === 0) continue;
    if (n++ === 0) first = r;
  }
  return { count: n, first };
}
