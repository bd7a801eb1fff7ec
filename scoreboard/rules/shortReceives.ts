/**
 * Messages of reliable connections that are longer than their receive: the receiver completes with LOC_LEN_ERR, the
 * sender with REM_INV_REQ_ERR (roce-transport.md 4.6), in either order.
 */

import { QP_TYPE } from '../../rdma/verbs.ts';
import { receiveOf } from './badReceives.ts';
import { shortRequestName } from '../model/names.ts';
import { OP_WRITE, operationKind } from '../model/operations.ts';
import type { OracleState } from '../model/oracleState.ts';
import { NONE, Q_IN_HEAD, Q_TYPE } from '../model/qps.ts';
import { OPCODE_MASK, R_DEST, R_STATE, S_TOO_LONG } from '../model/requests.ts';

/** Whether the message that a receive is for, which has just left its queue, does not fit in it. */
export function isShort(s: OracleState, q: number, recv: number): boolean {
  return doesNotFit(s, q, s.qps.words[q + Q_IN_HEAD] as number, recv);
}

/** Notes that a receiver found its receive too short: the sender must hear of it. */
export function noteShort(s: OracleState, q: number, recv: number): void {
  if (!isShort(s, q, recv)) return;
  const message = s.qps.words[q + Q_IN_HEAD] as number;
  const m = s.requests.words;
  m[message + R_STATE] = (m[message + R_STATE] as number) | S_TOO_LONG;
  s.fault(message, { remote: `${shortRequestName(s, recv)} is too short for it` });
}

/** Whether the receive that a message comes to, which has not completed, is too short for it. */
export function isTooLong(s: OracleState, r: number): boolean {
  const recv = receiveOf(s, r);
  return recv !== NONE && doesNotFit(s, s.requests.words[r + R_DEST] as number, r, recv);
}

/** Whether a message to queue pair `q` is longer than a receive; on unreliable services it is never that which fails. */
export function doesNotFit(s: OracleState, q: number, message: number, recv: number): boolean {
  if (message === NONE || recv === NONE || s.qps.words[q + Q_TYPE] !== QP_TYPE.rc) return false;
  const kind = operationKind((s.requests.words[message + R_STATE] as number) & OPCODE_MASK);
  return (kind & OP_WRITE) === 0 && s.requests.length(message) > s.requests.length(recv);
}
