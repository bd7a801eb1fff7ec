import { BTH_CLASS, BTH_OP } from '../../../rdma/bth.ts';
import type { TrafficWatcher } from '../../host/trafficWatcher.ts';
import type { QpSide } from '../qpSide.ts';

/** Offset of the BTH in a frame over IPv4, and over IPv6; of the syndrome in the BTH and what is behind it. */
const BTH_AT = { ipv4: 42, ipv6: 62 } as const;
/** Where a frame says which of both it has, and the first byte of IPv6. */
const [TYPE_AT, IPV6] = [12, 0x86];
const SYNDROME_AT = 12;
/** Upper bits of a syndrome: receiver not ready. */
const [KIND, RNR] = [0xe0, 0x20];

/**
 * Bounds what refusals cost. A requester with endless patience and a short RNR timer sends its window again for each refusal, for as
 * long as software that waits for something else posts no receive. After so many refusals in a row software is asked for receives.
 */
export class RefusalGuard implements TrafficWatcher {
  readonly #sides: readonly QpSide[];
  readonly #most: number;
  readonly #u8: () => Uint8Array;
  readonly #wanted: (side: QpSide) => void;
  /** Refusals of each side without a receive since. */
  readonly #refusals = new Map<QpSide, number>();

  /**
   * @param most refusals in a row
   * @param u8 bytes that offsets count in
   * @param wanted told of a side that is to post receives
   */
  constructor(sides: readonly QpSide[], most: number, u8: () => Uint8Array, wanted: (side: QpSide) => void) {
    this.#sides = sides;
    this.#most = most;
    this.#u8 = u8;
    this.#wanted = wanted;
  }

  arrived(): void {}

  accessed(): void {}

  sent(host: number, data: number, length: number): void {
    const u8 = this.#u8();
    const bth = u8[data + TYPE_AT] === IPV6 ? BTH_AT.ipv6 : BTH_AT.ipv4;
    if (length <= bth + SYNDROME_AT || u8[data + bth] !== (BTH_CLASS.rc | BTH_OP.acknowledge)) return;
    if (((u8[data + bth + SYNDROME_AT] as number) & KIND) !== RNR) return;
    const at = data + bth + 5;
    this.#refused(host, ((u8[at] as number) << 16) | ((u8[at + 1] as number) << 8) | (u8[at + 2] as number));
  }

  /** @param qpn of the requester that is told */
  #refused(host: number, qpn: number): void {
    const side = this.#sides.find((each) => each.host === host && each.qp.alive && each.qp.destQpn === qpn);
    if (side === undefined) return;
    const count = side.qp.recvOutstanding > 0 ? 0 : (this.#refusals.get(side) ?? 0) + 1;
    this.#refusals.set(side, count % this.#most);
    if (count === this.#most) this.#wanted(side);
  }
}
