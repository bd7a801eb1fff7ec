/**
 * Queue pairs of which a fault rule of the link has changed what arrives, from them or for them. Nothing that a NIC does
 * there follows from what the other NIC has sent alone. It stays so: what was delayed may arrive in a later life of them.
 */

import { QP_TYPE } from '../../rdma/verbs.ts';
import type { QueuePair } from './work.ts';

export class Disturbances {
  readonly #pairs = new Set<number>();

  /** Something that a queue pair has sent, or that was sent to it, arrives otherwise, or not. */
  add(host: number, qpn: number): void {
    if (host >= 0) this.#pairs.add(key(host, qpn));
  }

  /** Whether it, or the peer of a connected one, is disturbed. */
  has(q: QueuePair): boolean {
    if (this.#pairs.size === 0) return false;
    if (this.#pairs.has(key(q.host, q.qpn))) return true;
    return q.type !== QP_TYPE.ud && q.remoteHost >= 0 && this.#pairs.has(key(q.remoteHost, q.remoteQpn));
  }
}

function key(host: number, qpn: number): number {
  return host * 2 ** 24 + qpn;
}
