/**
 * Receives with entries that their keys do not open. A message that reaches such a byte ends its receive with
 * LOC_PROT_ERR, on RC its sender with REM_OP_ERR, in either order (roce-transport.md 4.2, 5.1, 6.3); shorter ones do not.
 */

import { QP_TYPE } from '../../rdma/verbs.ts';
import { shortRequestName } from '../model/names.ts';
import { OP_WRITE, operationKind } from '../model/operations.ts';
import type { OracleState } from '../model/oracleState.ts';
import { NONE, Q_IN_HEAD, Q_RQ_HEAD, Q_TYPE } from '../model/qps.ts';
import {
  OPCODE_MASK,
  R_DEST,
  R_LINK,
  R_NEXT,
  R_OPEN_BYTES,
  R_STATE,
  S_BAD_RECEIVE,
  S_FAILED,
} from '../model/requests.ts';

/** Whether `bytes` bytes, with what a datagram has in front of them, reach one that the keys of a receive do not open. */
export function reachesClosed(s: OracleState, recv: number, bytes: number): boolean {
  const open = s.requests.words[recv + R_OPEN_BYTES] as number;
  return open !== NONE && bytes > open;
}

/**
 * Whether the message that a receive is for, which is at the head of its queue or has just left it, reaches such a byte.
 * A datagram may be any of those on their way, and a message in front of which others may vanish one behind those.
 */
export function isBadReceive(s: OracleState, q: number, recv: number): boolean {
  if (recv === NONE || s.requests.words[recv + R_OPEN_BYTES] === NONE) return false;
  const datagram = s.qps.words[q + Q_TYPE] === QP_TYPE.ud;
  for (let r = s.qps.words[q + Q_IN_HEAD] as number; r !== NONE; r = s.requests.words[r + R_LINK] as number) {
    if (isCutOff(s, r, recv, s.qps.headBytes(q))) return true;
    if (!datagram && ((s.requests.words[r + R_STATE] as number) & S_FAILED) === 0) return false;
  }
  return false;
}

/** Notes that a receiver of a reliable connection found such a receive: the sender must hear of it. */
export function noteBadReceive(s: OracleState, q: number, recv: number): void {
  if (s.qps.words[q + Q_TYPE] !== QP_TYPE.rc || !isBadReceive(s, q, recv)) return;
  const message = s.qps.words[q + Q_IN_HEAD] as number;
  s.requests.words[message + R_STATE] = (s.requests.words[message + R_STATE] as number) | S_BAD_RECEIVE;
  const fault = s.faults.get(recv)?.local ?? 'a key does not cover its entry';
  s.fault(message, { remote: `${shortRequestName(s, recv)} cannot take it: ${fault}` });
}

/** Whether the receive that a message of a reliable connection comes to, which has not completed, is such a one. */
export function meetsBadReceive(s: OracleState, r: number): boolean {
  const recv = receiveOf(s, r);
  if (recv === NONE) return false;
  const q = s.requests.words[r + R_DEST] as number;
  return s.qps.words[q + Q_TYPE] === QP_TYPE.rc && isCutOff(s, r, recv, 0);
}

/** The receive that a message on its way comes to, or `NONE`. */
export function receiveOf(s: OracleState, r: number): number {
  const m = s.requests.words;
  const q = m[r + R_DEST] as number;
  if (q === NONE) return NONE;
  let recv = s.qps.words[q + Q_RQ_HEAD] as number;
  for (let at = s.qps.words[q + Q_IN_HEAD] as number; at !== r; at = m[at + R_LINK] as number) {
    if (at === NONE || recv === NONE) return NONE;
    recv = m[recv + R_NEXT] as number;
  }
  return recv;
}

/** Whether a message, with `skip` bytes in front of it, reaches a byte that the keys of a receive do not open. */
export function isCutOff(s: OracleState, message: number, recv: number, skip: number): boolean {
  const kind = operationKind((s.requests.words[message + R_STATE] as number) & OPCODE_MASK);
  return (kind & OP_WRITE) === 0 && reachesClosed(s, recv, s.requests.length(message) + skip);
}
