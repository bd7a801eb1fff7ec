/**
 * Which request the packets of a queue pair belong to: its messages are sent in the order of posting, and each begins
 * with a packet that says so.
 */

import type { OracleState } from './oracleState.ts';
import {
  NONE,
  Q_FLAGS,
  Q_SQ_DONE,
  Q_SQ_HEAD,
  Q_TX_COUNT,
  Q_TX_FIRST,
  Q_TX_NEXT,
  Q_TX_NOW,
  QF_SENDS_FAIL,
  QF_SIGNAL_ALL,
} from './qps.ts';
import { R_NEXT, R_QP } from './requests.ts';

/** Not known until the send queue has been empty, or everything in front of what is carried out has been flushed. */
const LOST = -2;

/** The request `r` is about to be appended to the send queue of `q`. */
export function noteSendPosted(s: OracleState, q: number, r: number): void {
  const w = s.qps.words;
  if (w[q + Q_TX_NEXT] === NONE || w[q + Q_SQ_HEAD] === NONE) w[q + Q_TX_NEXT] = r;
}

/** The request `r` has left its send queue. */
export function noteSendLeft(s: OracleState, r: number): void {
  const w = s.qps.words;
  const q = s.requests.words[r + R_QP] as number;
  if (w[q + Q_TX_NOW] === r) w[q + Q_TX_NOW] = NONE;
  if (w[q + Q_TX_NEXT] === r) w[q + Q_TX_NEXT] = s.requests.words[r + R_NEXT] as number;
}

/** Which request of `q` is sent next is open, until its send queue has been empty: it has failed, or a packet is broken. */
export function losePosition(s: OracleState, q: number): void {
  s.qps.words[q + Q_TX_NEXT] = LOST;
  s.qps.words[q + Q_TX_NOW] = NONE;
}

/**
 * What is in the send queue of `q` now is carried out in order: finds the position again by the messages that have been
 * sent to their end, of which each has a completion, or will have.
 */
export function findPosition(s: OracleState, q: number): void {
  const w = s.qps.words;
  if (w[q + Q_TX_NEXT] !== LOST || ((w[q + Q_FLAGS] as number) & QF_SIGNAL_ALL) === 0 || !s.seesWire) return;
  let begun = (w[q + Q_TX_COUNT] as number) - (w[q + Q_SQ_DONE] as number) + (w[q + Q_TX_NOW] === LOST ? 1 : 0);
  if (begun < 0) return;
  let r = w[q + Q_SQ_HEAD] as number;
  for (; begun > 0 && r !== NONE; begun--) r = s.requests.words[r + R_NEXT] as number;
  w[q + Q_TX_NEXT] = r;
}

/** Whether the message of request `r` may have begun on the wire. */
export function mayHaveBegun(s: OracleState, r: number): boolean {
  const next = s.qps.words[(s.requests.words[r + R_QP] as number) + Q_TX_NEXT] as number;
  return !s.seesWire || next < 0 || s.requests.isBefore(r, s.requests.orderOf(next));
}

/** A message of `q` begins with a packet that was not sent before. @returns its request, negative when that is not known */
export function beginMessage(s: OracleState, q: number, psn: number): number {
  const w = s.qps.words;
  if (((w[q + Q_FLAGS] as number) & QF_SENDS_FAIL) !== 0) losePosition(s, q);
  const r = w[q + Q_TX_NEXT] as number;
  if (r >= 0) w[q + Q_TX_NEXT] = s.requests.words[r + R_NEXT] as number;
  w[q + Q_TX_NOW] = r;
  w[q + Q_TX_FIRST] = psn;
  return r;
}
