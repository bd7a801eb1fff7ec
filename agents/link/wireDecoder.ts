import { OPCODE_CNP, UDP_PORT_ROCE } from '../../rdma/bth.ts';
import type { ByteStore } from '../../uvm/bytes/byteStore.ts';
import { type DecodedPacket, PACKET } from './decodedPacket.ts';
import { ipv4ChecksumOk, udpChecksumOk } from './internetChecksum.ts';
import { readExtendedHeaders, syndromeProblem } from './wireHeaders.ts';
import { WireIcrc } from './wireIcrc.ts';
import { MESSAGE, OPCODE, PAYLOAD, WireOpcodes } from './wireOpcodes.ts';
import { PROBLEM } from './wireRules.ts';

const ETHERTYPE_VLAN = 0x8100;
const ETHERTYPE_IPV4 = 0x0800;
const ETHERTYPE_IPV6 = 0x86dd;
const PROTOCOL_UDP = 17;
/** UDP header, base transport header and ICRC: the shortest datagram. */
const SHORTEST_DATAGRAM = 24;
/** Ethernet pads shorter frames; with a VLAN tag some pad to 64. */
const MIN_FRAME = 60;

/**
 * Decodes frames for the wire monitor, from roce-transport.md sections 1 and 2 alone: it shares no code with any NIC
 * model. It finds every fault that a single packet can show and leaves the judgement of flows to others.
 */
export class WireDecoder {
  readonly #bytes: ByteStore;
  readonly #icrc: WireIcrc;
  readonly #flags: Int32Array;
  readonly #headerBytes: Uint8Array;

  constructor(bytes: ByteStore) {
    const opcodes = new WireOpcodes();
    this.#bytes = bytes;
    this.#icrc = new WireIcrc(bytes);
    this.#flags = opcodes.flags;
    this.#headerBytes = opcodes.headerBytes;
  }

  /** Decodes the frame of `length` bytes at `frame` into `p`. Fields `host`, `to` and `time` are the caller's. */
  decode(frame: number, length: number, p: DecodedPacket): void {
    const u8 = this.#bytes.u8;
    p.frame = frame;
    p.frameLength = length;
    p.kind = PACKET.other;
    p.problems = 0;
    p.flags = 0;
    p.vlan = -1;
    p.retransmission = false;
    let at = frame + 14;
    let type = be16(u8, frame + 12);
    if (type === ETHERTYPE_VLAN) {
      p.vlan = be16(u8, frame + 14);
      type = be16(u8, frame + 16);
      at = frame + 18;
    }
    p.network = at;
    const room = frame + length - at;
    if (type === ETHERTYPE_IPV4) this.#ipv4(u8, p, at, room);
    else if (type === ETHERTYPE_IPV6) this.#ipv6(u8, p, at, room);
  }

  #ipv4(u8: Uint8Array, p: DecodedPacket, at: number, room: number): void {
    if (room < 28 || u8[at + 9] !== PROTOCOL_UDP || be16(u8, at + 22) !== UDP_PORT_ROCE) return;
    const total = be16(u8, at + 2);
    p.ipVersion = 4;
    p.trafficClass = u8[at + 1] as number;
    p.hopLimit = u8[at + 8] as number;
    if (u8[at] !== 0x45) p.problems |= PROBLEM.ipHeader;
    if ((be16(u8, at + 6) & 0x3fff) !== 0) p.problems |= PROBLEM.fragment;
    if (total > room || total < 20 + SHORTEST_DATAGRAM) p.problems |= PROBLEM.ipLength;
    p.kind = PACKET.malformed;
    if (p.problems !== 0) return;
    if (!ipv4ChecksumOk(u8, at)) p.problems |= PROBLEM.ipChecksum;
    this.#udp(u8, p, at + 20, total - 20, room - total);
  }

  #ipv6(u8: Uint8Array, p: DecodedPacket, at: number, room: number): void {
    if (room < 48 || u8[at + 6] !== PROTOCOL_UDP || be16(u8, at + 42) !== UDP_PORT_ROCE) return;
    const length = be16(u8, at + 4);
    p.ipVersion = 6;
    p.trafficClass = (be16(u8, at) >> 4) & 0xff;
    p.hopLimit = u8[at + 7] as number;
    if ((u8[at] as number) >> 4 !== 6) p.problems |= PROBLEM.ipHeader;
    if (length > room - 40 || length < SHORTEST_DATAGRAM) p.problems |= PROBLEM.ipLength;
    p.kind = PACKET.malformed;
    if (p.problems !== 0) return;
    this.#udp(u8, p, at + 40, length, room - 40 - length);
  }

  /** @param length of the datagram as IP says; `behind` bytes of the frame follow it. */
  #udp(u8: Uint8Array, p: DecodedPacket, at: number, length: number, behind: number): void {
    if (p.hopLimit === 0) p.problems |= PROBLEM.ipHeader;
    if (behind !== 0 && p.frameLength > (p.vlan < 0 ? MIN_FRAME : MIN_FRAME + 4)) p.problems |= PROBLEM.frame;
    if (be16(u8, at + 4) !== length) {
      p.problems |= PROBLEM.udpLength;
      return;
    }
    p.sourcePort = be16(u8, at);
    if (be16(u8, at + 6) !== 0 && !udpChecksumOk(u8, p.network, p.ipVersion, at, length)) {
      p.problems |= PROBLEM.udpChecksum;
    }
    p.transport = at + 8;
    this.#baseHeader(u8, p, at + 8);
    const icrcAt = at + length - 4;
    p.icrc = le32(u8, icrcAt);
    p.icrcExpected = this.#icrc.compute(p.ipVersion, p.network, at + 8, icrcAt);
    if (p.icrc !== p.icrcExpected) p.problems |= PROBLEM.icrc;
    if (p.flags === 0) p.problems |= PROBLEM.opcode;
    else this.#body(u8, p, at + 20, icrcAt);
  }

  #baseHeader(u8: Uint8Array, p: DecodedPacket, at: number): void {
    const opcode = u8[at] as number;
    const second = u8[at + 1] as number;
    const notices = u8[at + 4] as number;
    const ninth = u8[at + 8] as number;
    p.opcode = opcode;
    p.flags = this.#flags[opcode] as number;
    p.solicited = second >= 0x80;
    p.migration = (second & 0x40) !== 0;
    p.padCount = (second >> 4) & 3;
    p.partitionKey = be16(u8, at + 2);
    p.fecn = notices >= 0x80;
    p.becn = (notices & 0x40) !== 0;
    p.destQp = be24(u8, at + 5);
    p.ackRequest = ninth >= 0x80;
    p.psn = be24(u8, at + 9);
    if ((second & 0x0f) !== 0 || (ninth & 0x7f) !== 0 || (notices !== 0 && opcode !== OPCODE_CNP)) {
      p.problems |= PROBLEM.bth;
    }
  }

  /** Everything between the base transport header and the ICRC. */
  #body(u8: Uint8Array, p: DecodedPacket, at: number, end: number): void {
    const { flags, padCount } = p;
    const payload = at + (this.#headerBytes[p.opcode] as number);
    const length = end - payload - padCount;
    if (length < 0) {
      p.problems |= PROBLEM.payload;
      return;
    }
    p.kind = PACKET.roce;
    p.payload = payload;
    p.payloadLength = length;
    if (p.opcode === OPCODE_CNP) {
      checkNotification(u8, p, at);
      return;
    }
    if (p.sourcePort < 0xc000) p.problems |= PROBLEM.udpPort;
    if (p.destQp === 0 || (p.destQp === 0xffffff && (flags & OPCODE.deth) === 0)) p.problems |= PROBLEM.destQp;
    readExtendedHeaders(u8, p, at);
    if ((flags & OPCODE.aeth) !== 0 && syndromeProblem(p.syndrome, flags)) p.problems |= PROBLEM.syndrome;
    checkFlags(p, flags);
    checkPayload(p, flags, length);
    if (((length + padCount) & 3) !== 0 || (padCount !== 0 && !padOk(u8, end, padCount, length))) {
      p.problems |= PROBLEM.pad;
    }
  }
}

/** Solicited event only where a receive request ends; acknowledge request only in requests. */
function checkFlags(p: DecodedPacket, flags: number): void {
  if (p.ackRequest && (flags & OPCODE.response) !== 0) p.problems |= PROBLEM.bth;
  if (!p.solicited) return;
  const kind = (flags >> OPCODE.kindShift) & 7;
  const receives = kind === MESSAGE.send || (flags & OPCODE.immediate) !== 0;
  if (!receives || (flags & OPCODE.end) === 0) p.problems |= PROBLEM.bth;
}

function checkPayload(p: DecodedPacket, flags: number, length: number): void {
  const rule = (flags >> OPCODE.payloadShift) & 3;
  let bad = length > 4096;
  if (rule === PAYLOAD.full) bad ||= length < 256 || (length & (length - 1)) !== 0;
  else if (rule === PAYLOAD.last) bad ||= length === 0;
  else if (rule === PAYLOAD.none) bad ||= length !== 0;
  if (bad) p.problems |= PROBLEM.payload;
}

function padOk(u8: Uint8Array, end: number, count: number, length: number): boolean {
  if (length === 0) return false;
  for (let i = end - count; i < end; i++) if (u8[i] !== 0) return false;
  return true;
}

function checkNotification(u8: Uint8Array, p: DecodedPacket, at: number): void {
  let rest = p.psn | p.payloadLength | p.padCount;
  for (let i = 0; i < 16; i++) rest |= u8[at + i] as number;
  if (rest !== 0 || !p.becn || p.fecn || p.solicited || p.ackRequest) p.problems |= PROBLEM.cnp;
  if (p.destQp === 0 || p.destQp === 0xffffff) p.problems |= PROBLEM.destQp;
  if (p.sourcePort !== 0 && p.sourcePort < 0xc000) p.problems |= PROBLEM.udpPort;
}

function be16(u8: Uint8Array, at: number): number {
  return ((u8[at] as number) << 8) | (u8[at + 1] as number);
}

function be24(u8: Uint8Array, at: number): number {
  return ((u8[at] as number) << 16) | ((u8[at + 1] as number) << 8) | (u8[at + 2] as number);
}

function le32(u8: Uint8Array, at: number): number {
  return (
    (u8[at] as number) | ((u8[at + 1] as number) << 8) | ((u8[at + 2] as number) << 16) | ((u8[at + 3] as number) << 24)
  );
}
