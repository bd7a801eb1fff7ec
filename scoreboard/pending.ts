/** What each queue pair still waits for, for stall, end-of-test and deadlock messages. */

import { QP_TYPE } from '../rdma/verbs.ts';
import { dueSince, owedReceives } from './flushes.ts';
import { qpName, requestName, shortRequestName } from './names.ts';
import type { OracleState } from './oracleState.ts';
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
} from './qps.ts';
import { R_DEST, R_LINK, R_NEXT, R_STATE, S_AWAITED, S_DATA, S_SIGNALLED } from './requests.ts';
import { counted, countedAre } from '../uvm/report/counted.ts';

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
      `${qpName(s, q)} waits for ${counted(sends.count, 'send completion')}, first of ${shortRequestName(s, sends.first)}`,
    );
  const messages = waitingMessages(s, q);
  if (messages.count > 0) {
    const receives = s.qps.receives(q);
    lines.push(
      `${qpName(s, q)} waits for ${counted(messages.count, 'receive completion')} (${countedAre(receives, 'receive')} posted), ` +
        `first for ${requestName(s, messages.first)}`,
    );
  }
  return lines;
}

/** True when the oldest message from or to a queue pair finds no receive: software must post one first. */
export function waitsForSoftware(s: OracleState, q: number): boolean {
  const send = waitingSends(s, q).first;
  if (send !== NONE && !awaitsReceive(s, q, send)) return false;
  return waitingMessages(s, q).count === 0 || s.qps.words[q + Q_RQ_HEAD] === NONE;
}

/** Only RC holds a send back until a receive is there, and only until its message was received. */
function awaitsReceive(s: OracleState, q: number, send: number): boolean {
  const m = s.requests.words;
  const dest = m[send + R_DEST] as number;
  if (s.qps.words[q + Q_TYPE] !== QP_TYPE.rc || ((m[send + R_STATE] as number) & S_DATA) === 0) return false;
  return dest !== NONE && s.qps.words[dest + Q_RQ_HEAD] === NONE;
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
