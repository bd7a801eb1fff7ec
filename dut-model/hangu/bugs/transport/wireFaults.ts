/** Bugs in the frames that the NIC sends. */
import { BTH_OP } from '../../../../rdma/bth.ts';
import type { ByteStore } from '../../../../uvm/bytes/byteStore.ts';
import { FrameBuilder } from '../../../roce/frameBuilder.ts';
import type { PathAddresses } from '../../../roce/frameBuilder.ts';
import { IPV4_BYTES, L3_AT, UDP_BYTES } from '../../../roce/frameLayout.ts';
import { Every, faultsOf, planted } from '../fault.ts';
import { WIRE_ROWS } from './rows/wireRows.ts';

class WrongIcrc extends FrameBuilder {
  readonly #turn = new Every(12);
  protected override icrc(l3: number, l3Bytes: number, end: number): number {
    const crc = super.icrc(l3, l3Bytes, end);
    return this.#turn.hit() ? crc ^ 0x40 : crc;
  }
}

/** Takes the pad out of the ICRC. */
class PadlessIcrc extends FrameBuilder {
  override end(block: number, l3Bytes: number, payloadEnd: number): number {
    this.#payloadEnd = payloadEnd;
    return super.end(block, l3Bytes, payloadEnd);
  }

  protected override icrc(l3: number, l3Bytes: number): number {
    return super.icrc(l3, l3Bytes, this.#payloadEnd);
  }

  #payloadEnd = 0;
}

/** Sends from a port number outside the dynamic range. */
class LowSourcePort extends FrameBuilder {
  override writeTemplate(at: number, path: PathAddresses): void {
    super.writeTemplate(at, { ...path, sourcePort: 1024 });
  }
}

/** Puts its own MAC address in place of the receiver's. */
class OwnMac extends FrameBuilder {
  override writeTemplate(at: number, path: PathAddresses): void {
    super.writeTemplate(at, { ...path, dmacHigh: path.smacHigh, dmacLow: path.smacLow });
  }
}

/** Knows one traffic class only. */
class PlainTraffic extends FrameBuilder {
  override writeTemplate(at: number, path: PathAddresses): void {
    super.writeTemplate(at, { ...path, trafficClass: 0 });
  }
}

/** Lets no router forward its packets. */
class LastHop extends FrameBuilder {
  override writeTemplate(at: number, path: PathAddresses): void {
    super.writeTemplate(at, { ...path, hopLimit: 1 });
  }
}

/** Leaves routers free to cut its packets. */
class Cuttable extends FrameBuilder {
  readonly #words: ByteStore;

  constructor(bytes: ByteStore) {
    super(bytes);
    this.#words = bytes;
  }

  override writeTemplate(at: number, path: PathAddresses): void {
    super.writeTemplate(at, path);
    if (path.ipv6) return;
    const w = this.#words.i32;
    const ip = (at + L3_AT) >> 2;
    const flags = w[ip + 1] as number;
    w[ip + 1] = 0;
    // Behind the UDP header the template keeps the sum of the header's halves.
    const sum = ip + ((IPV4_BYTES + UDP_BYTES) >> 2);
    w[sum] = (w[sum] as number) - (flags >>> 16) - (flags & 0xffff);
  }
}

const SOLICITED = 0x80_0000;

/** Never tells the receiver that a message is solicited, or tells it of every SEND of one packet. */
function solicited(change: (bth0: number) => number): typeof FrameBuilder {
  return class extends FrameBuilder {
    override begin(
      block: number,
      template: number,
      l3Bytes: number,
      bth0: number,
      ...rest: [destQpn: number, bth2: number, ext: number, payload: number]
    ): number {
      return super.begin(block, template, l3Bytes, change(bth0), ...rest);
    }
  };
}

/** Every 25th packet goes out with the PSN after its own. */
class WrongPsn extends FrameBuilder {
  readonly #turn = new Every(25);
  override begin(
    block: number,
    template: number,
    l3Bytes: number,
    bth0: number,
    destQpn: number,
    bth2: number,
    ext: number,
    payload: number,
  ): number {
    const psn = this.#turn.hit() ? (bth2 & 0xff00_0000) | ((bth2 + 1) & 0xff_ffff) : bth2;
    return super.begin(block, template, l3Bytes, bth0, destQpn, psn, ext, payload);
  }
}

export const WIRE_FAULTS = faultsOf(WIRE_ROWS, {
  icrc_wrong: planted({ builder: WrongIcrc }),
  icrc_without_pad: planted({ builder: PadlessIcrc }),
  udp_source_port: planted({ builder: LowSourcePort }),
  own_mac_as_destination: planted({ builder: OwnMac }),
  datagram_hop_limit: planted({ builder: LastHop }),
  traffic_class_lost: planted({ builder: PlainTraffic }),
  fragments_allowed: planted({ builder: Cuttable }),
  solicited_lost: planted({ builder: solicited((bth0) => bth0 & ~SOLICITED) }),
  solicited_always: planted({
    builder: solicited((bth0) => (((bth0 >>> 24) & 0x1f) === BTH_OP.sendOnly ? bth0 | SOLICITED : bth0)),
  }),
  psn_skipped: planted({ builder: WrongPsn }),
});
