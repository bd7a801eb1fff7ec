/** What is known of queue pairs: whose peers they are, and which PSNs their requests will have. */

import { QP_TYPE, sendsNothing } from '../../rdma/verbs.ts';
import type { QpInfo, SendWr, Sge } from '../../agents/verbs/verbsItems.ts';
import { psnAdd, psnsOf } from '../../agents/wire/psnArithmetic.ts';

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

  /** What is known now, whatever comes. */
  copy(): QueuePairs {
    const copy = new QueuePairs();
    for (const [key, { info, nextPsn }] of this.#known) copy.#known.set(key, { info, nextPsn });
    return copy;
  }

  /** It has come to RTR, or to RTS, where it begins to send. */
  set(info: QpInfo): void {
    this.#known.set(info.host * HOST_SHIFT + info.qpn, { info, nextPsn: info.sqPsn });
  }

  /** It has other attributes; it goes on where it was. */
  change(info: QpInfo): void {
    const nextPsn = this.of(info.host, info.qpn)?.nextPsn ?? info.sqPsn;
    this.set({ ...info, sqPsn: nextPsn });
  }

  /** A request is posted. @returns how many packets it has, from `nextPsn` before on; undefined where that is not known */
  take(host: number, qpn: number, wr: SendWr): number | undefined {
    const pair = this.of(host, qpn);
    if (pair === undefined || sendsNothing(wr.opcode)) return undefined;
    const packets = pair.info.type === QP_TYPE.ud ? 1 : psnsOf(bytesOf(wr.sges, wr.numSge), pair.info.mtu);
    pair.nextPsn = psnAdd(pair.nextPsn, packets);
    return packets;
  }

  /** Number of the queue pair that one is connected with; -1 where there is none, or it is not known. */
  peerOf(host: number, qpn: number): number {
    const info = host < 0 ? undefined : this.of(host, qpn)?.info;
    return info === undefined || info.remoteHost < 0 ? -1 : info.remoteQpn;
  }
}

/** Bytes of a list of entries. */
export function bytesOf(sges: readonly Sge[], count: number): number {
  let bytes = 0;
  for (let i = 0; i < count; i++) bytes += (sges[i] as Sge).length;
  return bytes;
}
