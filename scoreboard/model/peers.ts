/** What becomes of the peer of a connected queue pair, as far as it matters to its own requests. */

import { QP_TYPE } from '../../rdma/verbs.ts';
import type { OracleState } from './oracleState.ts';
import {
  NONE,
  Q_FLAGS,
  Q_HOST,
  Q_REMOTE_HOST,
  Q_REMOTE_QPN,
  Q_TYPE,
  QF_BROKEN,
  QF_GONE,
  QF_READY,
  QF_RESETS,
  QF_SENDS_LOST,
  QF_STOPS,
} from './qps.ts';

/** What a connected queue pair was to receive does not come when its peer has failed, which may be gone by now. */
export function peerFailed(s: OracleState, q: number): boolean {
  return (peerFlags(s, q) & (QF_BROKEN | QF_SENDS_LOST)) !== 0;
}

/** Whether the peer may have left the states in which it answers, so that requests to it are tried in vain (roce-transport.md 6.4). */
export function isPeerDeaf(s: OracleState, q: number): boolean {
  const flags = peerFlags(s, q);
  return (flags & (QF_BROKEN | QF_GONE | QF_STOPS | QF_RESETS)) !== 0 || (flags & QF_READY) === 0 || isStranger(s, q);
}

/**
 * Whether the peer may not have taken what was sent to it at `sentAt` (ps, negative where that is not known), although
 * the link delivers everything: it came to RTR later, or is deaf now.
 */
export function mayHaveMissed(s: OracleState, q: number, sentAt: number): boolean {
  if (isPeerDeaf(s, q)) return true;
  const peer = s.qps.peerOf(q);
  return peer >= 0 && sentAt >= 0 && s.qps.listensSince(peer) > sentAt;
}

/**
 * Whether a queue pair sends to one that is connected with another host, whose NIC must drop what it sends
 * (roce-transport.md 4.1 no. 8). From another queue pair of the right host packets look like the peer's.
 */
export function isStranger(s: OracleState, q: number): boolean {
  const w = s.qps.words;
  const peer = s.qps.peerOf(q);
  if (peer < 0 || w[q + Q_TYPE] === QP_TYPE.ud) return false;
  return ((w[peer + Q_FLAGS] as number) & QF_READY) !== 0 && w[peer + Q_REMOTE_HOST] !== w[q + Q_HOST];
}

function peerFlags(s: OracleState, q: number): number {
  const w = s.qps.words;
  const peer = s.qps.latest(w[q + Q_REMOTE_HOST] as number, w[q + Q_REMOTE_QPN] as number);
  return peer === NONE ? 0 : (w[peer + Q_FLAGS] as number);
}
