/** What is known of queue pairs: whose peers they are, and which PSNs their requests will have. */

import type { QpInfo } from '../verbs/verbsItems.ts';
import { OPCODE } from '../wire/wireOpcodes.ts';
import type { DecodedPacket } from '../wire/decodedPacket.ts';

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

  /** Queue pair that sends a packet; -1 where it is not known. */
  sourceOf(p: Pick<DecodedPacket, 'flags' | 'sourceQp' | 'to' | 'destQp'>): number {
    if ((p.flags & OPCODE.deth) !== 0) return p.sourceQp;
    const peer = p.to < 0 ? undefined : this.of(p.to, p.destQp);
    return peer === undefined || peer.info.remoteHost < 0 ? -1 : peer.info.remoteQpn;
  }
}
