/** How queue pairs, requests and addresses are named in messages. */

import { QP_TYPE_NAME, WR_OPCODE_NAME } from '../../rdma/verbs.ts';
import type { OracleState } from './oracleState.ts';
import { NONE, Q_HOST, Q_PROCESS, Q_QPN, Q_TYPE } from './qps.ts';
import { LONGEST_KNOWN, OPCODE_MASK, R_NUM_SGE, R_QP, R_STATE, R_WQE, S_RECV } from './requests.ts';

/** For example `host 0 QP 14 (process 1, RC)`. */
export function qpName(s: OracleState, q: number): string {
  if (q === NONE) return 'an unknown QP';
  const w = s.qps.words;
  const type = QP_TYPE_NAME[w[q + Q_TYPE] as number] ?? 'not ready';
  return `host ${w[q + Q_HOST]} QP ${w[q + Q_QPN]} (process ${w[q + Q_PROCESS]}, ${type})`;
}

/** For example `SEND (wrId 7, WQE 3, 60 B in 6 SG entries) of host 0 QP 14 (process 1, RC)`. */
export function requestName(s: OracleState, r: number): string {
  return `${shortRequestName(s, r)} of ${qpName(s, s.requests.words[r + R_QP] as number)}`;
}

/** As `requestName`, without the queue pair. */
export function shortRequestName(s: OracleState, r: number): string {
  const w = s.requests.words;
  const entries = w[r + R_NUM_SGE] as number;
  const size = `${lengthText(s.requests.length(r))} in ${entries} SG ${entries === 1 ? 'entry' : 'entries'}`;
  return `${opcodeName(s, r)} (wrId ${s.requests.wrId(r)}, WQE ${w[r + R_WQE]}, ${size})`;
}

/** Length of a request or message as `Requests.length` has it: of lists of 4 GiB and more it says no more than that. */
export function lengthText(length: number): string {
  return length === LONGEST_KNOWN ? `${length} B or more` : `${length} B`;
}

/** Opcode of a send request, or RECV. */
function opcodeName(s: OracleState, r: number): string {
  const state = s.requests.words[r + R_STATE] as number;
  if ((state & S_RECV) !== 0) return 'RECV';
  return WR_OPCODE_NAME[state & OPCODE_MASK] ?? `opcode ${state & OPCODE_MASK}`;
}

/** Bytes as space-separated hexadecimal pairs. */
export function hexBytes(bytes: Uint8Array): string {
  return Array.from(bytes, (b) => b.toString(16).padStart(2, '0')).join(' ');
}
