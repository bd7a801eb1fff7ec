/** What becomes of the peer of a connected queue pair, as far as it matters to its own requests. */

import type { OracleState } from './oracleState.ts';
import {
  NONE,
  Q_FLAGS,
  Q_REMOTE_HOST,
  Q_REMOTE_QPN,
  QF_BROKEN,
  QF_GONE,
  QF_READY,
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
  return (flags & (QF_BROKEN | QF_GONE | QF_STOPS)) !== 0 || (flags & QF_READY) === 0;
}

function peerFlags(s: OracleState, q: number): number {
  const w = s.qps.words;
  const peer = s.qps.latest(w[q + Q_REMOTE_HOST] as number, w[q + Q_REMOTE_QPN] as number);
  return peer === NONE ? 0 : (w[peer + Q_FLAGS] as number);
}
