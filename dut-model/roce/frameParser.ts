/**
 * Common receive checks of all services up to the queue pair (roce-transport.md 4.1 steps 1 to 4) and the decoding of
 * all headers. What fails is dropped and counted; nothing of it is trusted.
 */
import type { Frame } from '../nic.ts';
import type { ByteStore } from '../../uvm/bytes/byteStore.ts';
import { BTH_CLASS, OPCODE_CNP, UDP_PORT_ROCE } from '../../rdma/bth.ts';
import { first16, last16, last24, swap32 } from './endian.ts';
import {
  BTH_BYTES,
  ETHERTYPE_IPV4,
  ETHERTYPE_IPV6,
  ETHERTYPE_VLAN,
  ETHERNET_BYTES,
  ICRC_BYTES,
  IP_PROTOCOL_UDP,
  IPV4_BYTES,
  IPV6_BYTES,
  UDP_BYTES,
} from './frameLayout.ts';
import { icrcInPlace } from './icrc.ts';
import { EXTENDED_SHIFT, OP, OPCODES } from './opcodeTable.ts';
import type { RxPacket } from './rxPacket.ts';

/** Why a frame was dropped; index into the parser's counters. */
export const DROP = {
  none: 0,
  notRoce: 1,
  malformed: 2,
  fragment: 3,
  checksum: 4,
  icrc: 5,
  version: 6,
  opcode: 7,
  cnp: 8,
} as const;

/** @public */
export class FrameParser {
  /** Frames dropped, by `DROP` reason. */
  readonly dropped = new Uint32Array(16);
  /** Believe the link where it says that the ICRC of a frame is right. For a receiver without a bug. */
  takesSeals = false;
  readonly #bytes: ByteStore;
  #sealed = false;

  constructor(bytes: ByteStore) {
    this.#bytes = bytes;
  }

  /** Decodes `frame`, whose bytes start at 2 modulo 4, into `p`. @returns true when the packet may be processed; false after counting a drop. */
  parse(frame: Frame, p: RxPacket): boolean {
    this.#sealed = this.takesSeals && frame.sealed;
    const reason = this.check(frame.data, frame.length, p);
    if (reason === DROP.none) return true;
    this.dropped[reason] = (this.dropped[reason] as number) + 1;
    return false;
  }

  /** The checks in order; overridable so that a faulty receiver can be planted. */
  protected check(data: number, length: number, p: RxPacket): number {
    const w = this.#bytes.i32;
    let l3 = data + ETHERNET_BYTES;
    // The two bytes in front of the next header.
    let type = last16(w[(l3 - 4) >> 2] as number);
    if (type === ETHERTYPE_VLAN) {
      l3 += 4;
      type = last16(w[(l3 - 4) >> 2] as number);
    }
    const room = data + length - l3;
    if (type === ETHERTYPE_IPV4) return this.#ipv4(w, l3, room, p);
    if (type === ETHERTYPE_IPV6) return this.#ipv6(w, l3, room, p);
    return DROP.notRoce;
  }

  /** True when the ICRC at `end` matches; overridable for planting. */
  protected icrcMatches(l3: number, l3Bytes: number, end: number): boolean {
    const crc = icrcInPlace(this.#bytes, l3, l3Bytes, end);
    return (crc | 0) === (this.#bytes.i32[end >> 2] as number);
  }

  /** The original value in an AtomicAckETH at dword `k`; overridable for planting. */
  protected atomicAnswer(w: Int32Array, k: number, p: RxPacket): void {
    p.swapHi = swap32(w[k] as number);
    p.swapLo = swap32(w[k + 1] as number);
  }

  #ipv4(w: Int32Array, l3: number, room: number, p: RxPacket): number {
    const i = l3 >> 2;
    if (room < IPV4_BYTES + UDP_BYTES + BTH_BYTES + ICRC_BYTES) return DROP.malformed;
    const w0 = w[i] as number;
    if ((w0 & 0xff) !== 0x45) return DROP.malformed;
    const total = last16(w0);
    if (total > room) return DROP.malformed;
    if (last16(w[i + 1] as number) & 0x3fff) return DROP.fragment;
    if ((((w[i + 2] as number) >>> 8) & 0xff) !== IP_PROTOCOL_UDP) return DROP.notRoce;
    if (!headerChecksumGood(w, i)) return DROP.checksum;
    p.l3 = l3;
    p.l3Bytes = IPV4_BYTES;
    return this.#udp(w, l3 + IPV4_BYTES, total - IPV4_BYTES, p);
  }

  #ipv6(w: Int32Array, l3: number, room: number, p: RxPacket): number {
    const i = l3 >> 2;
    if (room < IPV6_BYTES + UDP_BYTES + BTH_BYTES + ICRC_BYTES) return DROP.malformed;
    if (swap32(w[i] as number) >>> 28 !== 6) return DROP.malformed;
    const w1 = swap32(w[i + 1] as number);
    const payload = w1 >>> 16;
    if (payload + IPV6_BYTES > room) return DROP.malformed;
    if (((w1 >>> 8) & 0xff) !== IP_PROTOCOL_UDP) return DROP.notRoce;
    p.l3 = l3;
    p.l3Bytes = IPV6_BYTES;
    return this.#udp(w, l3 + IPV6_BYTES, payload, p);
  }

  #udp(w: Int32Array, udp: number, available: number, p: RxPacket): number {
    const i = udp >> 2;
    if (last16(w[i] as number) !== UDP_PORT_ROCE) return DROP.notRoce;
    const udpLength = first16(w[i + 1] as number);
    if (udpLength > available || udpLength < UDP_BYTES + BTH_BYTES + ICRC_BYTES || (udpLength & 3) !== 0) {
      return DROP.malformed;
    }
    if (!this.#sealed && !this.icrcMatches(p.l3, p.l3Bytes, udp + udpLength - ICRC_BYTES)) return DROP.icrc;
    return this.#bth(w, (udp + UDP_BYTES) >> 2, udpLength - UDP_BYTES - BTH_BYTES - ICRC_BYTES, p);
  }

  #bth(w: Int32Array, i: number, body: number, p: RxPacket): number {
    const b0 = w[i] as number;
    if ((b0 & 0xf00) !== 0) return DROP.version;
    const opcode = b0 & 0xff;
    p.opcode = opcode;
    if (opcode === OPCODE_CNP) return DROP.cnp;
    const bits = OPCODES[opcode] as number;
    if (bits === 0) return DROP.opcode;
    const pad = (b0 >>> 12) & 3;
    p.bits = bits & ((1 << EXTENDED_SHIFT) - 1);
    p.solicited = (b0 & 0x8000) !== 0;
    p.pad = pad;
    p.pkey = last16(b0);
    p.destQpn = last24(w[i + 1] as number);
    const b2 = w[i + 2] as number;
    p.ackRequest = (b2 & 0x80) !== 0;
    p.psn = last24(b2);
    const ext = bits >> EXTENDED_SHIFT;
    const length = body - ext - pad;
    p.length = length;
    if (length < 0) return DROP.malformed;
    p.payload = (i + 3) * 4 + ext;
    if (ext !== 0) this.#extended(w, i + 3, ext, p);
    return DROP.none;
  }

  /** Headers between the BTH and the payload: `ext` bytes of them from dword `i` on. */
  #extended(w: Int32Array, i: number, ext: number, p: RxPacket): void {
    const { bits } = p;
    let k = i;
    if ((p.opcode & 0xe0) === BTH_CLASS.ud) {
      p.qkey = swap32(w[k] as number);
      p.srcQpn = last24(w[k + 1] as number);
      k += 2;
    }
    if (bits & OP.reth) {
      p.vaHi = swap32(w[k] as number);
      p.vaLo = swap32(w[k + 1] as number);
      p.rkey = swap32(w[k + 2] as number);
      p.dmaLength = swap32(w[k + 3] as number) >>> 0;
    } else if (bits & OP.aeth) {
      const a = w[k] as number;
      p.syndrome = a & 0xff;
      p.msn = last24(a);
      if (bits & OP.atomicAck) this.atomicAnswer(w, k + 1, p);
    } else if (bits & OP.atomic) {
      p.vaHi = swap32(w[k] as number);
      p.vaLo = swap32(w[k + 1] as number);
      p.rkey = swap32(w[k + 2] as number);
      p.swapHi = swap32(w[k + 3] as number);
      p.swapLo = swap32(w[k + 4] as number);
      p.compareHi = swap32(w[k + 5] as number);
      p.compareLo = swap32(w[k + 6] as number);
    }
    if (bits & (OP.imm | OP.ieth)) p.imm = swap32(w[i + (ext >> 2) - 1] as number) >>> 0;
  }
}

/** One's complement sum of ten 16-bit words, computed on little-endian words: the sum is byte-order independent. */
function headerChecksumGood(w: Int32Array, i: number): boolean {
  let sum = halves(w[i] as number) + halves(w[i + 1] as number) + halves(w[i + 2] as number);
  sum += halves(w[i + 3] as number) + halves(w[i + 4] as number);
  sum = (sum & 0xffff) + (sum >>> 16);
  return (sum & 0xffff) + (sum >>> 16) === 0xffff;
}

function halves(v: number): number {
  return (v & 0xffff) + (v >>> 16);
}
