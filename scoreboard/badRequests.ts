/** What a request ends with that software should not have posted so (roce-transport.md 4.2, 4.5). */

import { QP_TYPE, WC_STATUS } from '../rdma/verbs.ts';
import { OP_ATOMIC, OP_READ, OP_WRITE, operationKind } from './operations.ts';
import type { OracleState } from './oracleState.ts';
import { NONE, Q_FLAGS, Q_IN_HEAD, Q_TYPE, QF_REFUSES_WRITE } from './qps.ts';
import {
  OPCODE_MASK,
  R_STATE,
  S_BAD_KEY,
  S_BAD_LENGTH,
  S_BAD_LOCAL,
  S_BAD_RECEIVE,
  S_BAD_RIGHT,
  S_BAD_SERVICE,
  S_TOO_LONG,
  S_WITHDRAWN,
} from './requests.ts';

const REASON: Readonly<Record<number, string | undefined>> = {
  [WC_STATUS.locLenErr]: 'a datagram must fit in one packet',
  [WC_STATUS.locQpOpErr]: 'the service does not have this operation',
  [WC_STATUS.locProtErr]: 'a local key does not cover its entry',
  [WC_STATUS.remInvReqErr]: 'its receive is too short',
  [WC_STATUS.remOpErr]: 'the keys of its receive do not open the buffer',
  [WC_STATUS.remAccessErr]: 'its remote key does not cover the range',
};

/** Why a request with this state was expected to end with `status`, for messages; undefined where nothing is to be said. */
export function reasonOf(status: number, state: number): string | undefined {
  const refused = status === WC_STATUS.remInvReqErr && (state & S_BAD_RIGHT) !== 0;
  return refused ? 'the peer does not permit the operation' : REASON[status];
}

/**
 * What the requester sees before anything is sent comes first, but a local key only where the data come from there: of
 * data that come back it is used when they do. Nobody tells the sender of an unreliable WRITE what the peer refused.
 * @param state of the request, with one of the bits of `S_BAD`
 */
export function statusOfBad(type: number, state: number): number {
  if ((state & S_BAD_SERVICE) !== 0) return WC_STATUS.locQpOpErr;
  if ((state & S_BAD_LENGTH) !== 0) return WC_STATUS.locLenErr;
  const badRemote = (state & S_BAD_KEY) !== 0;
  const fetches = (operationKind(state & OPCODE_MASK) & (OP_READ | OP_ATOMIC)) !== 0;
  if ((state & S_BAD_LOCAL) !== 0 && !(badRemote && fetches)) return WC_STATUS.locProtErr;
  if (type !== QP_TYPE.rc) return WC_STATUS.success;
  if ((state & S_BAD_RECEIVE) !== 0) return WC_STATUS.remOpErr;
  return (state & (S_BAD_RIGHT | S_TOO_LONG)) !== 0 ? WC_STATUS.remInvReqErr : WC_STATUS.remAccessErr;
}

/**
 * Whether a receive of queue pair `q` may end with LOC_ACCESS_ERR: a reliable connection brings it a WRITE with immediate
 * whose remote key does not open the range, or may not any more (roce-transport.md, T-061).
 */
export function refusesWrite(s: OracleState, q: number): boolean {
  const { words } = s.qps;
  if (((words[q + Q_FLAGS] as number) & QF_REFUSES_WRITE) !== 0) return true;
  const message = words[q + Q_IN_HEAD] as number;
  if (message === NONE || words[q + Q_TYPE] !== QP_TYPE.rc) return false;
  const state = s.requests.words[message + R_STATE] as number;
  return (operationKind(state & OPCODE_MASK) & OP_WRITE) !== 0 && (state & S_WITHDRAWN) !== 0;
}
