/**
 * Which connections a capture shows. Requests from one address to a queue pair of another are a lane; what that queue pair is sent
 * on one connection is a life of the lane. Nobody says when a connection begins: it is seen by a PSN far from what was sent
 * before, or by another message with the first PSN of all.
 */

import { psnAdd, psnCompare, psnsOf } from '../../agents/wire/psnArithmetic.ts';
import type { DecodedPacket } from '../../agents/wire/decodedPacket.ts';
import { MESSAGE, OPCODE, messageOf } from '../../agents/wire/wireOpcodes.ts';
import { BTH_CLASS } from '../../rdma/bth.ts';
import type { ByteStore } from '../../uvm/bytes/byteStore.ts';

/** PSNs by which a requester may be wrong, or may have lost packets, and go back: beyond them another connection begins. */
const FORWARD = 1 << 10;
const BACKWARD = 1 << 12;
/** While a life has no more PSNs, its first one counts. */
const YOUNG = 1 << 22;
/** What of a capture is remembered at most: addresses, and lives of lanes. */
const MOST_ADDRESSES = 1 << 14;
const MOST_LIVES = 1 << 17;
const QPNS = 2 ** 24;
const CLASS_BITS = 0xe0;
const BTH_BYTES = 12;
const LEAST_MTU = 256;

/** A connection as its requester's packets show it. */
export class Life {
  readonly index: number;
  readonly lane: Lane;
  /** `BTH_CLASS`. */
  readonly service: number;
  /** PSN of the first packet in the capture. */
  readonly first: number;
  /** PSN behind all that was sent, at least and at most: how many a READ takes depends on the path MTU. */
  least: number;
  most: number;
  /** Newest PSN that an answer has named; before the first where none has. */
  answered: number;
  /** Of the first packet: stands for its headers behind the BTH and its payload. */
  readonly digest: number;

  constructor(index: number, lane: Lane, p: DecodedPacket, digest: number) {
    this.index = index;
    this.lane = lane;
    this.service = p.opcode & CLASS_BITS;
    this.first = p.psn;
    this.least = p.psn;
    this.most = p.psn;
    this.answered = psnAdd(p.psn, -1);
    this.digest = digest;
  }
}

/** What one address sends to a queue pair of another: requests, and answers to what that queue pair has sent. */
export class Lane {
  readonly index: number;
  readonly from: number;
  readonly to: number;
  readonly qpn: number;
  life: Life | null = null;
  /** The one before. */
  former: Life | null = null;

  constructor(index: number, from: number, to: number, qpn: number) {
    this.index = index;
    this.from = from;
    this.to = to;
    this.qpn = qpn;
  }
}

export class Connections {
  readonly addresses: string[] = [];
  readonly lanes: Lane[] = [];
  readonly lives: Life[] = [];
  /** Packets that could not be put anywhere, since there are too many addresses or connections. */
  unplaced = 0;

  readonly #bytes: ByteStore;
  readonly #addressIds = new Map<string, number>();
  readonly #lanes = new Map<number, Lane>();
  /** By both addresses: lanes in which requests of a reliable connection were sent. */
  readonly #reliable = new Map<number, Lane[]>();

  constructor(bytes: ByteStore) {
    this.#bytes = bytes;
  }

  /** Numbers the addresses of a packet into `host` and `to`. @returns false where there are too many */
  address(p: DecodedPacket): boolean {
    const [at, length] = p.ipVersion === 4 ? [12, 4] : [8, 16];
    p.host = this.#addressId(p.network + at, length);
    p.to = this.#addressId(p.network + at + length, length);
    if (p.host >= 0 && p.to >= 0) return true;
    this.unplaced++;
    return false;
  }

  /** The lane of a packet of a connected service. */
  lane({ host, to, destQp }: DecodedPacket): Lane {
    const key = pairOf(host, to) * QPNS + destQp;
    let lane = this.#lanes.get(key);
    if (lane === undefined) {
      lane = new Lane(this.lanes.length, host, to, destQp);
      this.lanes.push(lane);
      this.#lanes.set(key, lane);
    }
    return lane;
  }

  /** The lane of a packet, if there is one. */
  find({ host, to, destQp }: DecodedPacket): Lane | undefined {
    return this.#lanes.get(pairOf(host, to) * QPNS + destQp);
  }

  /** Lanes from one address to another in which there are requests of reliable connections. */
  reliableLanes(from: number, to: number): readonly Lane[] {
    return this.#reliable.get(pairOf(from, to)) ?? NO_LANES;
  }

  /** The connection that a request belongs to; null where there are too many. */
  request(p: DecodedPacket, lane: Lane): Life | null {
    let { life } = lane;
    if (life === null || this.#isAnother(p, life)) {
      if (this.lives.length >= MOST_LIVES) {
        this.unplaced++;
        return null;
      }
      if (life === null && (p.opcode & CLASS_BITS) === BTH_CLASS.rc) this.#noteReliable(lane);
      lane.former = life;
      life = new Life(this.lives.length, lane, p, this.#digest(p));
      this.lives.push(life);
      lane.life = life;
    }
    const isRead = messageOf(p.flags) === MESSAGE.read;
    this.#reach(life, psnAdd(p.psn, 1), psnAdd(p.psn, isRead ? psnsOf(p.dmaLength, LEAST_MTU) : 1));
    return life;
  }

  #isAnother(p: DecodedPacket, life: Life): boolean {
    if ((p.flags & OPCODE.start) === 0) return false;
    if ((p.opcode & CLASS_BITS) !== life.service) return true;
    if (psnCompare(p.psn, life.most) > FORWARD || psnCompare(p.psn, life.least) < -BACKWARD) return true;
    const before = psnCompare(p.psn, life.first);
    if (psnAdd(life.most, -life.first) > YOUNG) return false;
    return before < -BACKWARD || (before === 0 && this.#digest(p) !== life.digest);
  }

  #reach(life: Life, least: number, most: number): void {
    if (psnCompare(least, life.least) > 0) life.least = least;
    if (psnCompare(most, life.most) > 0) life.most = most;
  }

  #noteReliable(lane: Lane): void {
    const pair = pairOf(lane.from, lane.to);
    const lanes = this.#reliable.get(pair);
    if (lanes === undefined) this.#reliable.set(pair, [lane]);
    else lanes.push(lane);
  }

  #digest({ transport, payload, payloadLength, opcode }: DecodedPacket): number {
    const from = transport + BTH_BYTES;
    return this.#bytes.crc32(opcode, from, payload + payloadLength - from);
  }

  #addressId(at: number, length: number): number {
    const bytes = this.#bytes.u8.subarray(at, at + length);
    const key = String.fromCharCode(...bytes);
    const known = this.#addressIds.get(key);
    if (known !== undefined) return known;
    const id = this.addresses.length;
    if (id >= MOST_ADDRESSES) return -1;
    this.#addressIds.set(key, id);
    this.addresses.push(addressText(bytes));
    return id;
  }
}

const NO_LANES: readonly Lane[] = [];

function pairOf(from: number, to: number): number {
  return from * MOST_ADDRESSES + to;
}

/** IPv4 with dots; IPv6 as RFC 5952 writes it. */
function addressText(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.');
  const digits = Buffer.from(bytes)
    .toString('hex')
    .replace(/(....)(?=.)/g, '$1:');
  return new URL(`http://[${digits}]`).hostname.slice(1, -1);
}
