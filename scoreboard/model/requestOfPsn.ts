/** Which of the outstanding requests of a queue pair a PSN belongs to, as far as the wire shows what was sent. */

import { PSN_MASK } from '../../rdma/bth.ts';
import type { OracleState } from './oracleState.ts';
import { NONE, Q_MTU, Q_SQ_HEAD, Q_SQ_POSTED, Q_TX_COUNT, Q_TX_PSN } from './qps.ts';
import { sendsOutstanding } from './queues.ts';
import { R_NEXT } from './requests.ts';
import { HALF_PSN } from '../checks/transmissions.ts';

/**
 * Position among the outstanding requests of the one that a PSN belongs to, or -1. Of those that were sent to their
 * end the last ends with the highest PSN seen; the next one may be on its way.
 */
export function indexOfPsn(s: OracleState, q: number, psn: number): number {
  const { qps, requests } = s;
  const highest = qps.words[q + Q_TX_PSN] as number;
  const complete = (qps.words[q + Q_TX_COUNT] as number) - retiredOf(s, q);
  // A request that was cut short by an error has completed, and the packet may be one of its first.
  if (complete < 0) return -1;
  const packets: number[] = [];
  let r = headOf(s, q);
  for (; r !== NONE && packets.length < complete; r = requests.words[r + R_NEXT] as number) {
    packets.push(Math.max(1, Math.ceil(requests.length(r) / (qps.words[q + Q_MTU] as number))));
  }
  let left = highest === NONE ? 0 : (highest + 1 - psn) & PSN_MASK;
  if (left === 0 || left >= HALF_PSN) return r === NONE ? -1 : packets.length;
  for (let i = packets.length - 1; i >= 0; i--) {
    left -= packets[i] as number;
    if (left <= 0) return i;
  }
  return -1;
}

/** The outstanding request at a position of `indexOfPsn`. */
export function outstandingAt(s: OracleState, q: number, index: number): number {
  let r = headOf(s, q);
  for (let i = 0; i < index; i++) r = s.requests.words[r + R_NEXT] as number;
  return r;
}

/** Requests of a queue pair that have completed. */
export function retiredOf(s: OracleState, q: number): number {
  return (s.qps.words[q + Q_SQ_POSTED] as number) - sendsOutstanding(s, q);
}

/** The oldest request of a send queue, or `NONE`. */
export function headOf(s: OracleState, q: number): number {
  return s.qps.words[q + Q_SQ_HEAD] as number;
}
