/** What becomes of the peer of a connected queue pair, as far as it matters to its own requests. */

import type { QueuePair } from './work.ts';
import { QP_TYPE } from '../../rdma/verbs.ts';
import type { OracleState } from './oracleState.ts';

/** What a connected queue pair was to receive does not come when its peer has failed, which may be gone by now. */
export function peerFailed(s: OracleState, q: QueuePair): boolean {
  const peer = latestPeer(s, q);
  return peer.broken || peer.sendsLost;
}

/** Whether the peer may have left the states in which it answers, so that requests to it are tried in vain (roce-transport.md 6.4). */
export function peerTakesNothing(s: OracleState, q: QueuePair): boolean {
  const { broken, stops, isLeaving, ready } = latestPeer(s, q);
  return broken || stops || isLeaving || !ready || isForeign(s, q);
}

/**
 * Whether the peer may not have taken what was sent to it at `sentAt` (ps, negative where that is not known), although
 * the link delivers everything: it came to RTR later, or takes nothing now.
 */
export function mayHaveMissed(s: OracleState, q: QueuePair, sentAt: number): boolean {
  if (peerTakesNothing(s, q)) return true;
  const peer = s.qps.peerOf(q);
  return peer.exists && sentAt >= 0 && peer.mayHaveTakenNothing(sentAt);
}

/**
 * Whether a queue pair sends to one that is connected with another host, whose NIC must drop what it sends
 * (roce-transport.md 4.1 no. 8). From another queue pair of the right host packets look like the peer's.
 */
export function isForeign(s: OracleState, q: QueuePair): boolean {
  const peer = s.qps.peerOf(q);
  if (!peer.exists || q.type === QP_TYPE.ud) return false;
  return peer.ready && peer.remoteHost !== q.host;
}

/** The queue pair that has the number of its peer, or had it last; `NO_QP` where there never was one. */
function latestPeer(s: OracleState, q: QueuePair): QueuePair {
  return s.qps.latest(q.remoteHost, q.remoteQpn);
}
