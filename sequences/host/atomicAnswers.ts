import { BTH_OP } from '../../rdma/bth.ts';
import type { TrafficWatcher } from './trafficWatcher.ts';
import type { QpSide } from '../user/qpSide.ts';

/** Offset of the BTH in a frame over IPv4, and over IPv6; of the original value in the BTH and what is behind it. */
const BTH_AT = { ipv4: 42, ipv6: 62 } as const;
const ORIGINAL_AT = 16;

/** Answer to an atomic, as it leaves the responder. */
export interface AtomicAnswer {
  readonly psn: number;
  readonly original: bigint;
}

/** Answers to the atomics of one side, in the order in which its peer sends them. */
export class AtomicAnswers implements TrafficWatcher {
  readonly all: AtomicAnswer[] = [];
  readonly #asker: QpSide;
  readonly #responder: number;
  readonly #u8: () => Uint8Array;

  /** @param responder host of the peer of `asker` @param u8 bytes that offsets count in */
  constructor(asker: QpSide, responder: number, u8: () => Uint8Array) {
    this.#asker = asker;
    this.#responder = responder;
    this.#u8 = u8;
  }

  arrived(): void {}

  sent(host: number, data: number, length: number): void {
    if (host !== this.#responder) return;
    const bth = this.#asker.qp.ipv6 ? BTH_AT.ipv6 : BTH_AT.ipv4;
    if (length < bth + ORIGINAL_AT + 8) return;
    const view = new DataView(this.#u8().buffer, data + bth, ORIGINAL_AT + 8);
    if (view.getUint8(0) !== BTH_OP.atomicAcknowledge || (view.getUint32(4) & 0xffffff) !== this.#asker.qp.qpn) return;
    this.all.push({ psn: view.getUint32(8) & 0xffffff, original: view.getBigUint64(ORIGINAL_AT) });
  }

  accessed(): void {}
}
