/**
 * Building of RoCEv2 frames (roce-transport.md sections 1 and 2): a header template per connection is copied, the
 * varying fields are patched, and the ICRC closes the frame once the payload is in place.
 */
import type { ByteStore } from '../../uvm/bytes/byteStore.ts';
import { UDP_PORT_ROCE } from '../../rdma/bth.ts';
import { swap32 } from './endian.ts';
import {
  BTH_BYTES,
  ETHERTYPE_IPV4,
  ETHERTYPE_IPV6,
  FRAME_START,
  ICRC_BYTES,
  IP_PROTOCOL_UDP,
  IPV4_BYTES,
  IPV6_BYTES,
  L3_AT,
  MIN_FRAME,
  UDP_BYTES,
} from './frameLayout.ts';
import { icrcInPlace } from './icrc.ts';

/** Addresses of one path. IPv4 addresses are numbers; IPv6 ones four words each. @public */
export interface PathAddresses {
  readonly ipv6: boolean;
  readonly dmacHigh: number; // 16 bits
  readonly dmacLow: number; // 32 bits
  readonly smacHigh: number;
  readonly smacLow: number;
  readonly sip: number;
  readonly dip: number;
  readonly sgid: readonly [number, number, number, number];
  readonly dgid: readonly [number, number, number, number];
  readonly trafficClass: number;
  readonly hopLimit: number;
  readonly flowLabel: number;
  readonly sourcePort: number;
}

/** UDP source port of a connection (roce-transport.md 1.3). */
export function udpSourcePort(flowLabel: number, localQpn: number, remoteQpn: number): number {
  let fl = flowLabel & 0xfffff;
  if (fl === 0) {
    let v = BigInt(localQpn) * BigInt(remoteQpn);
    v ^= v >> 20n;
    v ^= v >> 40n;
    fl = Number(v & 0xfffffn);
  }
  return 0xc000 | ((fl & 0x3fff) ^ ((fl >> 14) & 0x3f));
}

/** @public */
export class FrameBuilder {
  readonly #bytes: ByteStore;
  /** IPv4 identification of the next frame, counted per port as hardware does. */
  identification = 0;

  constructor(bytes: ByteStore) {
    this.#bytes = bytes;
  }

  /** Writes Ethernet, IP and UDP headers with zero lengths at `at` (aligned to 16); BTH is left to `begin`. */
  writeTemplate(at: number, path: PathAddresses): void {
    const w = this.#bytes.i32;
    const i = at >> 2;
    const type = path.ipv6 ? ETHERTYPE_IPV6 : ETHERTYPE_IPV4;
    // Two bytes of slack, then six of destination, six of source, two of type.
    w[i] = swap32(path.dmacHigh & 0xffff);
    w[i + 1] = swap32(path.dmacLow);
    w[i + 2] = swap32(((path.smacHigh & 0xffff) << 16) | (path.smacLow >>> 16));
    w[i + 3] = swap32(((path.smacLow & 0xffff) << 16) | type);
    if (path.ipv6) writeIpv6(w, i + 4, path);
    else writeIpv4(w, i + 4, path);
    const u = i + 4 + ((path.ipv6 ? IPV6_BYTES : IPV4_BYTES) >> 2);
    w[u] = swap32((path.sourcePort << 16) | UDP_PORT_ROCE);
    w[u + 1] = 0;
    if (!path.ipv6) w[i + 4 + CHECKSUM_WORD] = halvesOf(w, i + 4, IPV4_BYTES >> 2);
  }

  /**
   * Starts a frame in the block at `block`: copies the template and patches lengths, identification and BTH.
   * @param ext bytes of extended headers
   * @param payload bytes without pad
   * @returns byte-store offset of the first extended header
   */
  begin(
    block: number,
    template: number,
    l3Bytes: number,
    bth0: number,
    destQpn: number,
    bth2: number,
    ext: number,
    payload: number,
  ): number {
    const pad = -payload & 3;
    const w = this.#bytes.i32;
    const i = (block + L3_AT) >> 2;
    const t = (template + L3_AT) >> 2;
    const u = i + (l3Bytes >> 2);
    const udpLength = UDP_BYTES + BTH_BYTES + ext + payload + pad + ICRC_BYTES;
    const swappedLength = ((udpLength & 0xff) << 8) | (udpLength >>> 8);
    // Ethernet.
    w[i - 4] = w[t - 4] as number;
    w[i - 3] = w[t - 3] as number;
    w[i - 2] = w[t - 2] as number;
    w[i - 1] = w[t - 1] as number;
    if (l3Bytes === IPV4_BYTES) this.#ipv4(w, i, t, udpLength + IPV4_BYTES);
    else {
      for (let k = 0; k < IPV6_BYTES >> 2; k++) w[i + k] = w[t + k] as number;
      w[i + 1] = (w[i + 1] as number) | swappedLength;
    }
    w[u] = w[t + (l3Bytes >> 2)] as number;
    w[u + 1] = swappedLength;
    w[u + 2] = swap32(bth0 | (pad << 20));
    w[u + 3] = swap32(destQpn & 0xffffff);
    w[u + 4] = swap32(bth2);
    return (u + 5) * 4;
  }

  /** Closes the frame: zero pad, ICRC, Ethernet padding. @returns frame length in bytes from `block + FRAME_START`. */
  end(block: number, l3Bytes: number, payloadEnd: number): number {
    const bytes = this.#bytes;
    const padded = (payloadEnd + 3) & ~3;
    if (padded !== payloadEnd) this.#zero(payloadEnd, padded);
    bytes.i32[padded >> 2] = this.icrc(block + L3_AT, l3Bytes, padded) | 0;
    const end = padded + ICRC_BYTES;
    const minimum = block + FRAME_START + MIN_FRAME;
    if (end >= minimum) return end - block - FRAME_START;
    this.#zero(end, minimum);
    return MIN_FRAME;
  }

  /** ICRC of the frame up to `end`; overridable so that a faulty sender can be planted. */
  protected icrc(l3: number, l3Bytes: number, end: number): number {
    return icrcInPlace(this.#bytes, l3, l3Bytes, end);
  }

  #zero(from: number, to: number): void {
    const m = this.#bytes.u8;
    for (let at = from; at < to; at++) m[at] = 0;
  }

  /** IPv4 header at dword `i` from the template's at `t`, which knows the checksum of all that does not change. */
  #ipv4(w: Int32Array, i: number, t: number, total: number): void {
    const id = this.identification;
    this.identification = (id + 1) & 0xffff;
    const swappedTotal = ((total & 0xff) << 8) | (total >>> 8);
    const swappedId = ((id & 0xff) << 8) | (id >>> 8);
    let sum = (w[t + CHECKSUM_WORD] as number) + swappedTotal + swappedId;
    sum = (sum & 0xffff) + (sum >>> 16);
    sum = (sum & 0xffff) + (sum >>> 16);
    w[i] = (w[t] as number) | (swappedTotal << 16);
    w[i + 1] = (w[t + 1] as number) | swappedId;
    w[i + 2] = (w[t + 2] as number) | (~sum << 16);
    w[i + 3] = w[t + 3] as number;
    w[i + 4] = w[t + 4] as number;
  }
}

/** Word of an IPv4 template behind its UDP header, counted from the IP header: sum of the IP header's 16-bit words. */
const CHECKSUM_WORD = (IPV4_BYTES + UDP_BYTES) >> 2;

function halvesOf(w: Int32Array, i: number, count: number): number {
  let sum = 0;
  for (let k = i; k < i + count; k++) {
    const v = w[k] as number;
    sum += (v & 0xffff) + (v >>> 16);
  }
  return sum;
}

/** The default partition, of which every node is a full member (roce-transport.md 4.3). */
export const P_KEY_DEFAULT = 0xffff;

/** Word 0 of a BTH without the pad count. */
export function bthWord0(opcode: number, solicited: boolean, pkey: number): number {
  return (opcode << 24) | (solicited ? 0x800000 : 0) | pkey;
}

function writeIpv4(w: Int32Array, i: number, path: PathAddresses): void {
  w[i] = swap32((0x45 << 24) | (path.trafficClass << 16));
  w[i + 1] = swap32(0x4000); // don't fragment
  w[i + 2] = swap32((path.hopLimit << 24) | (IP_PROTOCOL_UDP << 16));
  w[i + 3] = swap32(path.sip);
  w[i + 4] = swap32(path.dip);
}

function writeIpv6(w: Int32Array, i: number, path: PathAddresses): void {
  w[i] = swap32((6 << 28) | (path.trafficClass << 20) | (path.flowLabel & 0xfffff));
  w[i + 1] = swap32((IP_PROTOCOL_UDP << 8) | path.hopLimit);
  for (let k = 0; k < 4; k++) {
    w[i + 2 + k] = swap32(path.sgid[k] as number);
    w[i + 6 + k] = swap32(path.dgid[k] as number);
  }
}

/** Offset of the frame's first byte in its block, for `Frame.data`. @public */
export function frameData(block: number): number {
  return block + FRAME_START;
}
