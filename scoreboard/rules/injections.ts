/**
 * What follows from packets that no NIC has sent, where a NIC may take them for what its peer would have sent: a request that
 * is out of place is refused for good (roce-transport.md 4.2), a wrong answer ends the request that it is for (3.6), and both
 * queue pairs end in the error state.
 */

import { type PacketArrival, REACH } from '../../agents/wire/decodedPacket.ts';
import { QP_TYPE } from '../../rdma/verbs.ts';
import type { OracleState } from '../model/oracleState.ts';
import { CAUSE } from '../model/outcomes.ts';
import type { QueuePair } from '../model/work.ts';
import type { UnreliableArrivals } from '../reference/unreliable/arrivals.ts';

export class Injections {
  readonly #s: OracleState;
  readonly #unreliable: UnreliableArrivals;

  constructor(state: OracleState, unreliable: UnreliableArrivals) {
    this.#s = state;
    this.#unreliable = unreliable;
  }

  /** A packet that no NIC has sent reaches a NIC. */
  arrived({ edited: p, reach }: PacketArrival): void {
    const { qps, disturbances, misled } = this.#s;
    if (p === null || reach === REACH.nothing) return;
    const q = qps.find(p.to, p.destQp);
    if (!q.exists) return;
    disturbances.add(q.host, q.qpn);
    if (reach !== REACH.taken) return;
    if (q.type !== QP_TYPE.rc) {
      this.#unreliable.injected(q.host, q.qpn);
      return;
    }
    const peer = qps.peerOf(q);
    for (const each of peer.exists ? [q, peer] : [q]) {
      misled.add(each);
      this.#mayEndAnyhow(each);
    }
  }

  /** Whatever its requests and receives end with follows from the packet. */
  #mayEndAnyhow(q: QueuePair): void {
    for (let r = q.sq.head; r.exists; r = r.next) r.outcomes.allow(CAUSE.misled);
    for (let r = q.rq.head; r.exists; r = r.next) r.outcomes.allow(CAUSE.misled);
    q.mayFlush();
  }
}
