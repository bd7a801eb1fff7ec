/**
 * Requests that wait in send queues which software has taken to SQD: what the NIC has begun it ends, everything else
 * waits until software takes the queue pair to RTS again (roce-transport.md 6.2). What it has begun is seen on the wire;
 * where that is not watched, nobody is blamed for what waits.
 */

import { PSN_MASK } from '../../rdma/bth.ts';
import { QP_TYPE } from '../../rdma/verbs.ts';
import type { OracleState } from '../model/oracleState.ts';
import { NONE, Q_HOST, Q_QPN, Q_REMOTE_HOST, Q_REMOTE_QPN, Q_TX_COUNT, Q_TX_PSN, Q_TYPE } from '../model/qps.ts';
import { headOf, retiredOf } from '../model/requestOfPsn.ts';
import { R_DEST, R_NEXT, R_QP } from '../model/requests.ts';
import { HALF_PSN } from '../checks/transmissions.ts';

/** The NIC has taken a queue pair to SQD. */
export function hold(s: OracleState, q: number): void {
  s.held.add(q);
}

/** It has taken it elsewhere: from now on its requests, and the messages among them, are expected to get on. */
export function letGo(s: OracleState, q: number): void {
  if (!s.held.delete(q)) return;
  s.progress(q);
  const { words } = s.requests;
  for (let r = headOf(s, q); r !== NONE; r = words[r + R_NEXT] as number) {
    const dest = words[r + R_DEST] as number;
    if (dest !== NONE) s.progress(dest);
  }
}

/** Whether a request waits for software to take its queue pair out of SQD. */
export function isHeld(s: OracleState, r: number): boolean {
  const q = s.requests.words[r + R_QP] as number;
  if (!s.held.has(q)) return false;
  const first = firstHeld(s, q);
  return first !== NONE && !s.requests.isBefore(r, s.requests.orderOf(first));
}

/** The oldest outstanding request that the NIC has not begun; `NONE` when it has begun all. */
function firstHeld(s: OracleState, q: number): number {
  const sent = (s.qps.words[q + Q_TX_COUNT] as number) - retiredOf(s, q);
  let begun = Math.max(0, sent) + (isUnderWay(s, q) ? 1 : 0);
  let r = headOf(s, q);
  for (; r !== NONE && begun > 0; begun--) r = s.requests.words[r + R_NEXT] as number;
  return r;
}

/** Whether packets of a message have been sent, and its last one has not. */
function isUnderWay(s: OracleState, q: number): boolean {
  const w = s.qps.words;
  const peer = { host: w[q + Q_REMOTE_HOST] as number, qpn: w[q + Q_REMOTE_QPN] as number };
  const to = w[q + Q_TYPE] === QP_TYPE.ud ? null : peer;
  const seen = s.options.wire?.progress(w[q + Q_HOST] as number, w[q + Q_QPN] as number, to);
  if (seen === undefined || seen.sent < 0) return false;
  const whole = w[q + Q_TX_PSN] as number;
  const ahead = (seen.sent - whole) & PSN_MASK;
  return whole === NONE || (ahead > 0 && ahead < HALF_PSN);
}
