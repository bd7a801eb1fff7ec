/**
 * Which request the packets of a queue pair belong to: its messages are sent in the order of posting, and each begins
 * with a packet that says so.
 */

import type { OracleState } from './oracleState.ts';
import { NONE, Q_FLAGS, Q_SQ_HEAD, Q_TX_FIRST, Q_TX_NEXT, Q_TX_NOW, QF_SENDS_FAIL } from './qps.ts';
import { R_NEXT, R_QP } from './requests.ts';

/** Not known until the send queue has been empty. */
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
