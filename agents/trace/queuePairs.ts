/** What is known of queue pairs: whose peers they are, and which PSNs their requests will have. */

import type { QpInfo } from '../verbs/verbsItems.ts';

/** One of them, as it was told last. */
export interface KnownPair {
  readonly info: QpInfo;
  /** PSN of the next request that is posted; counted from the one it began with. */
  nextPsn: number;
}

const HOST_SHIFT = 2 ** 24;

export class QueuePairs {
  readonly #known = new Map<number, KnownPair>();

  of(host: number, qpn: number): KnownPair | undefined {
    return this.#known.get(host * HOST_SHIFT + qpn);
  }

  /** It has come to RTR, or to RTS, where it begins to send. */
  set(info: QpInfo): void {
    this.#known.set(info.host * HOST_SHIFT + info.qpn, { info, nextPsn: info.sqPsn });
  }

  /** Number of the queue pair that one is connected with; -1 where there is none, or it is not known. */
  peerOf(host: number, qpn: number): number {
    const info = host < 0 ? undefined : this.of(host, qpn)?.info;
    return info === undefined || info.remoteHost < 0 ? -1 : info.remoteQpn;
  }
}
