/** What a request ends with that software should not have posted so (roce-transport.md 4.2, 4.5). */

import { MAX_MESSAGE, QP_TYPE, QP_TYPE_NAME, WC_STATUS, WR_OPCODE_NAME } from '../../rdma/verbs.ts';
import { OP_ATOMIC, OP_READ, OP_WRITE, operationKind } from '../model/operations.ts';
import type { OracleState } from '../model/oracleState.ts';
import { NONE, Q_FLAGS, Q_IN_HEAD, Q_MTU, Q_TYPE, QF_REFUSES_WRITE } from '../model/qps.ts';
import {
  OPCODE_MASK,
  R_QP,
  R_STATE,
  S_BAD_KEY,
  S_BAD_LENGTH,
  S_BAD_LOCAL,
  S_BAD_RECEIVE,
  S_BAD_RIGHT,
  S_BAD_SERVICE,
  S_TOO_LONG,
  S_WITHDRAWN,
} from '../model/requests.ts';

/** Why request `r` was expected to end with `status`, for messages; undefined where nothing is to be said. */
export function reasonOf(s: OracleState, r: number, status: number): string | undefined {
  const state = s.requests.words[r + R_STATE] as number;
  const q = s.requests.words[r + R_QP] as number;
  const type = QP_TYPE_NAME[s.qps.words[q + Q_TYPE] as number];
  switch (status) {
    case WC_STATUS.locLenErr:
      if (s.qps.words[q + Q_TYPE] !== QP_TYPE.ud) return `a message has at most ${MAX_MESSAGE} B`;
      return `a datagram must fit in one packet of ${s.qps.words[q + Q_MTU]} B (path MTU)`;
    case WC_STATUS.locQpOpErr:
      return `${type} has no ${WR_OPCODE_NAME[state & OPCODE_MASK]}`;
    case WC_STATUS.locProtErr:
      return s.faults.get(r)?.local;
    case WC_STATUS.remInvReqErr:
    case WC_STATUS.remOpErr:
    case WC_STATUS.remAccessErr: {
      const fault = s.faults.get(r)?.remote;
      return (state & S_BAD_RIGHT) !== 0 ? `the peer does not permit the operation: ${fault}` : fault;
    }
    default:
      return undefined;
  }
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
