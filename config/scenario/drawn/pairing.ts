/**
 * Queue pairs of a host are numbered RC first, then UC, then UD; each is joined with one of its own type on another
 * host by the rule of env/pairing.ts.
 */
import { peerOf as peerWithinType } from '../../../env/pairing.ts';
import { QP_TYPE, type QpType } from '../../../rdma/verbs.ts';
import type { PeerPlan } from '../scenario.ts';

/** Queue pairs of each service type per host. */
export interface QpCounts {
  readonly rc: number;
  readonly uc: number;
  readonly ud: number;
}

/** Service type of queue pair `index`. */
export function typeOf(counts: QpCounts, index: number): QpType {
  if (index < counts.rc) return QP_TYPE.rc;
  return index < counts.rc + counts.uc ? QP_TYPE.uc : QP_TYPE.ud;
}

/** The other end of queue pair `index` of `host`; undefined for the one that stays alone when a total is odd. */
export function peerOf(hosts: number, counts: QpCounts, host: number, index: number): PeerPlan | undefined {
  const [first, size] = groupOf(counts, index);
  const peer = peerWithinType(hosts, size, host, index - first);
  return peer === null ? undefined : { host: peer.host, qp: first + peer.index };
}

/** First index and size of the service type that `index` belongs to. */
function groupOf(counts: QpCounts, index: number): readonly [first: number, size: number] {
  if (index < counts.rc) return [0, counts.rc];
  if (index < counts.rc + counts.uc) return [counts.rc, counts.uc];
  return [counts.rc + counts.uc, counts.ud];
}
