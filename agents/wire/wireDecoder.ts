import { OPCODE_CNP, UDP_PORT_ROCE } from '../../rdma/bth.ts';
import type { ByteStore } from '../../uvm/bytes/byteStore.ts';
import { type DecodedPacket, PACKET } from './decodedPacket.ts';
import { ipv4ChecksumOk, udpChecksumOk } from './internetChecksum.ts';
import { readExtendedHeaders, syndromeProblem } from './wireHeaders.ts';
import { WireIcrc } from './wireIcrc.ts';
import { MESSAGE, OPCODE, PAYLOAD, WireOpcodes, messageOf } from './wireOpcodes.ts';
import { PROBLEM } from './wireRules.ts';
import { firstHalf, lastThree, secondHalf, wordAt } from './wireWords.ts';
import { INDEX_BITS } from '../../uvm/bytes/words.ts';

const ETHERTYPE_VLAN = 0x8100;
const ETHERTYPE_IPV4 = 0x0800;
const ETHERTYPE_IPV6 = 0x86dd;
const PROTOCOL_UDP = 17;
/** Flags and fragment offset of every packet, and those that only a fragment has. */
const DONT_FRAGMENT = 0x4000;
const FRAGMENT = 0x3fff;
/** UDP header, base transport header and ICRC: the shortest datagram. */
const SHORTEST_DATAGRAM = 24;
/** Ethernet pads shorter frames; with a VLAN tag some pad to 64. */
const MIN_FRAME = 60;

/**
 * Decodes frames for the wire monitor, from roce-transport.md sections 1 and 2 alone: it shares no code with any NIC
 * model. It reads the headers by words, from the copy that the ICRC needs anyway. It finds every fault that a single
 * packet can show and leaves the judgement of flows to others.
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

  /** Word of the byte store where the copy of the latest packet's IP header begins; its addresses are as on the wire. */
  get headers(): number {
    return this.#icrc.words;
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
    p.unansweredSince = -1;
    p.answersRead = false;
    p.answersAgain = false;
    p.readsBehind = -1;
    p.framesBetween = 0;
    p.beginsAnswer = false;
    p.refusedSentAt = -1;
    p.refusesForGood = false;
    let at = frame + 14;
    let type = be16(u8, frame + 12);
    if (type === ETHERTYPE_VLAN) {
      p.vlan = be16(u8, frame + 14);
      type = be16(u8, frame + 16);
      at = frame + 18;
    }
    p.network = at;
    const room = frame + length - at;
    if (type === ETHERTYPE_IPV4) this.#ipv4(p, at, room);
    else if (type === ETHERTYPE_IPV6) this.#ipv6(p, at, room);
  }

  #ipv4(p: DecodedPacket, at: number, room: number): void {
    if (room < 28) return;
    const icrc = this.#icrc;
    icrc.load(at, room);
    const w = this.#bytes.i32;
    const i = icrc.words & INDEX_BITS;
    const third = w[i + 2] as number;
    if (((third >>> 8) & 0xff) !== PROTOCOL_UDP || secondHalf(w[i + 5] as number) !== UDP_PORT_ROCE) return;
    const first = w[i] as number;
    const second = w[i + 1] as number;
    const total = secondHalf(first);
    let problems = 0;
    p.ipVersion = 4;
    p.trafficClass = (first >>> 8) & 0xff;
    p.identification = firstHalf(second);
    p.hopLimit = third & 0xff;
    if ((first & 0xff) !== 0x45) problems |= PROBLEM.ipHeader;
    const fragment = secondHalf(second);
    if (fragment !== DONT_FRAGMENT) problems |= PROBLEM.fragment;
    if (total > room || total < 20 + SHORTEST_DATAGRAM) problems |= PROBLEM.ipLength;
    p.kind = PACKET.malformed;
    p.problems = problems;
    if ((problems & ~PROBLEM.fragment) !== 0 || (fragment & FRAGMENT) !== 0) return;
    if (!ipv4ChecksumOk(first, second, third, w[i + 3] as number, w[i + 4] as number)) p.problems |= PROBLEM.ipChecksum;
    this.#udp(w, p, i + 5, at + 20, total - 20, room - total);
  }

  #ipv6(p: DecodedPacket, at: number, room: number): void {
    if (room < 48) return;
    const icrc = this.#icrc;
    icrc.load(at, room);
    const w = this.#bytes.i32;
    const i = icrc.words;
    const second = w[i + 1] as number;
    if (((second >>> 16) & 0xff) !== PROTOCOL_UDP || secondHalf(w[i + 10] as number) !== UDP_PORT_ROCE) return;
    const first = w[i] as number;
    const length = firstHalf(second);
    p.ipVersion = 6;
    p.trafficClass = (firstHalf(first) >> 4) & 0xff;
    p.flowLabel = lastThree(first) & 0xf_ffff;
    p.hopLimit = second >>> 24;
    if ((first & 0xf0) !== 0x60) p.problems |= PROBLEM.ipHeader;
    if (length > room - 40 || length < SHORTEST_DATAGRAM) p.problems |= PROBLEM.ipLength;
    p.kind = PACKET.malformed;
    if (p.problems !== 0) return;
    this.#udp(w, p, i + 10, at + 40, length, room - 40 - length);
  }

  /**
   * @param word of the copy, and `at` byte of the frame, where the UDP header is
   * @param length of the datagram as IP says; `behind` bytes of the frame follow it
   */
  #udp(w: Int32Array, p: DecodedPacket, word: number, at: number, length: number, behind: number): void {
    const i = word & INDEX_BITS;
    let problems = p.problems;
    if (p.hopLimit === 0) problems |= PROBLEM.ipHeader;
    if (p.frameLength < MIN_FRAME) problems |= PROBLEM.frame;
    else if (behind !== 0 && p.frameLength > (p.vlan < 0 ? MIN_FRAME : MIN_FRAME + 4)) problems |= PROBLEM.frame;
    const second = w[i + 1] as number;
    if (firstHalf(second) !== length) {
      p.problems = problems | PROBLEM.udpLength;
      return;
    }
    p.sourcePort = firstHalf(w[i] as number);
    if (second >>> 16 !== 0 && !udpChecksumOk(this.#bytes.u8, p.network, p.ipVersion, at, length)) {
      problems |= PROBLEM.udpChecksum;
    }
    p.transport = at + 8;
    problems |= this.#baseHeader(w, p, i + 2);
    const icrcAt = at + length - 4;
    p.icrc = wordAt(w, icrcAt);
    p.icrcExpected = this.#icrc.finish(p.ipVersion, p.network, at + 8, icrcAt);
    if (p.icrc !== p.icrcExpected) problems |= PROBLEM.icrc;
    if (p.flags === 0) problems |= PROBLEM.opcode;
    p.problems = problems;
    if (p.flags !== 0) this.#body(w, p, i + 5, at + 20, icrcAt);
  }

  /** @returns problems */
  #baseHeader(w: Int32Array, p: DecodedPacket, i: number): number {
    const first = w[i] as number;
    const second = w[i + 1] as number;
    const third = w[i + 2] as number;
    const opcode = first & 0xff;
    p.opcode = opcode;
    p.flags = this.#flags[opcode] as number;
    p.solicited = (first & 0x8000) !== 0;
    p.migration = (first & 0x4000) !== 0;
    p.padCount = (first >>> 12) & 3;
    p.partitionKey = secondHalf(first);
    p.fecn = (second & 0x80) !== 0;
    p.becn = (second & 0x40) !== 0;
    p.destQp = lastThree(second);
    p.ackRequest = (third & 0x80) !== 0;
    p.psn = lastThree(third);
    const reserved = (first & 0x0f00) | (third & 0x7f) | (opcode !== OPCODE_CNP ? second & 0xff : 0);
    return reserved !== 0 ? PROBLEM.bth : 0;
  }

  /** Everything between the base transport header and the ICRC. */
  #body(w: Int32Array, p: DecodedPacket, i: number, at: number, end: number): void {
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
      checkNotification(this.#bytes.u8, p, at);
      return;
    }
    if (p.sourcePort < 0xc000) p.problems |= PROBLEM.udpPort;
    if (p.destQp === 0 || (p.destQp === 0xffffff && (flags & OPCODE.deth) === 0)) p.problems |= PROBLEM.destQp;
    readExtendedHeaders(w, p, i);
    if ((flags & OPCODE.aeth) !== 0 && syndromeProblem(p.syndrome, flags)) p.problems |= PROBLEM.syndrome;
    checkFlags(p, flags);
    checkPayload(p, flags, length);
    if (((length + padCount) & 3) !== 0 || (padCount !== 0 && !padOk(this.#bytes.u8, end, padCount, length))) {
      p.problems |= PROBLEM.pad;
    }
  }
}

/** Solicited event only where a receive request ends; acknowledge request only in requests. */
function checkFlags(p: DecodedPacket, flags: number): void {
  if (p.ackRequest === true && (flags & OPCODE.response) !== 0) p.problems |= PROBLEM.bth;
  if (!p.solicited) return;
  const kind = messageOf(flags);
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
