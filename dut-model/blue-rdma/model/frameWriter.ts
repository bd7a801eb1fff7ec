/**
 * Builds frames (blue-rdma.md section 8). A frame starts two bytes into its block, so that IP, UDP, BTH and the extension
 * area are aligned to words.
 */
import { UDP_PORT_ROCE } from '../../../rdma/bth.ts';
import { BLUE_BTH, ECN, FRAME, IMMEDIATE_AT, RETH, RRETH, WINDOW_ETH } from '../layout/wire.ts';
import type { ByteStore } from '../../../uvm/bytes/byteStore.ts';
import { swap32 } from '../../roce/endian.ts';
import { ETHERNET_BYTES, FRAME_START, IP_PROTOCOL_UDP, IPV4_BYTES, MIN_FRAME } from '../../roce/frameLayout.ts';

/** Where a frame goes, and what its headers say besides the extension. Filled in anew for each frame. */
export class HeaderFields {
  destMacHigh = 0;
  destMacLow = 0;
  destIp = 0;
  sourcePort = 0;
  opcode = 0;
  solicited = false;
  retry = false;
  becn = false;
  ecnCapable = false;
  msn = 0;
  destQpn = 0;
  ackRequest = false;
  psn = 0;
}

/** Own addresses. */
export interface OwnAddress {
  readonly macHigh: number;
  readonly macLow: number;
  readonly ip: number;
}

const IP_WORD = (FRAME_START + FRAME.ip) >> 2;
const UDP_WORD = (FRAME_START + FRAME.udp) >> 2;
const BTH_WORD = (FRAME_START + FRAME.bth) >> 2;
const EXTENSION_WORD = (FRAME_START + FRAME.extension) >> 2;
const AREA_END = FRAME_START + FRAME.payload;
const DONT_FRAGMENT = 0x4000;
const TTL = 64;

export class FrameWriter {
  protected readonly bytes: ByteStore;
  readonly #own: OwnAddress;

  constructor(bytes: ByteStore, own: OwnAddress) {
    this.bytes = bytes;
    this.#own = own;
  }

  /**
   * Writes all headers of a frame but its extension, whose area is cleared.
   * @param block byte-store offset of the block
   * @param padded pad and payload, bytes
   * @returns length of the frame, with its padding to the least one
   */
  headers(block: number, h: HeaderFields, padded: number): number {
    const w = this.bytes.i32;
    const b = block >>> 2;
    const length = FRAME.payload + padded;
    const own = this.#own;
    w[b] = swap32(h.destMacHigh & 0xffff);
    w[b + 1] = swap32(h.destMacLow);
    w[b + 2] = swap32(((own.macHigh & 0xffff) << 16) | (own.macLow >>> 16));
    w[b + 3] = swap32((own.macLow << 16) | 0x0800);
    this.#ipv4(b + IP_WORD, length - ETHERNET_BYTES, h);
    w[b + UDP_WORD] = swap32((h.sourcePort << 16) | UDP_PORT_ROCE);
    w[b + UDP_WORD + 1] = swap32((length - ETHERNET_BYTES - IPV4_BYTES) << 16);
    const flags = (h.solicited ? BLUE_BTH.solicited : 0) | (h.retry ? BLUE_BTH.retry : 0);
    w[b + BTH_WORD] = swap32((h.opcode << 24) | (flags << 16) | (h.msn & 0xffff));
    w[b + BTH_WORD + 1] = swap32(((h.becn ? BLUE_BTH.becn : 0) << 24) | (h.destQpn & 0xff_ffff));
    w[b + BTH_WORD + 2] = swap32(((h.ackRequest ? BLUE_BTH.ackRequestBit : 0) << 24) | (h.psn & 0xff_ffff));
    const u8 = this.bytes.u8;
    for (let at = block + FRAME_START + FRAME.extension; at < block + AREA_END; at++) u8[at] = 0;
    return Math.max(length, MIN_FRAME);
  }

  /** RETH: address of this packet, key, and bytes. */
  reth(block: number, vaHi: number, vaLo: number, rkey: number, length: number): void {
    const w = this.bytes.i32;
    const e = (block >>> 2) + EXTENSION_WORD;
    w[e + (RETH.va >> 2)] = swap32(vaHi);
    w[e + (RETH.va >> 2) + 1] = swap32(vaLo);
    w[e + (RETH.rkey >> 2)] = swap32(rkey);
    w[e + (RETH.length >> 2)] = swap32(length);
  }

  immediate(block: number, imm: number): void {
    this.bytes.i32[(block >>> 2) + EXTENSION_WORD + (IMMEDIATE_AT >> 2)] = swap32(imm);
  }

  /** RRETH: where the requester wants what it reads. */
  rreth(block: number, vaHi: number, vaLo: number, lkey: number): void {
    const w = this.bytes.i32;
    const e = (block >>> 2) + EXTENSION_WORD;
    w[e + (RRETH.va >> 2)] = swap32(vaHi);
    w[e + (RRETH.va >> 2) + 1] = swap32(vaLo);
    w[e + (RRETH.lkey >> 2)] = swap32(lkey);
  }

  /** One word of a bitmap, counted from the lowest bits; overridable for planting. */
  window(block: number, which: 'before' | 'now', word: number, bits: number): void {
    this.bytes.i32[(block >>> 2) + EXTENSION_WORD + (WINDOW_ETH[which] >> 2) + this.wordAt(word)] = swap32(bits);
  }

  windowFlags(block: number, flags: number, psnBefore: number): void {
    const at = (block >>> 2) + EXTENSION_WORD + (WINDOW_ETH.flags >> 2);
    this.bytes.i32[at] = swap32((flags << 24) | (psnBefore & 0xff_ffff));
  }

  /** Place of a bitmap's word on the wire: the highest comes first. Overridable for planting. */
  protected wordAt(word: number): number {
    return 3 - word;
  }

  #ipv4(at: number, total: number, h: HeaderFields): void {
    const w = this.bytes.i32;
    const first = (0x45 << 24) | ((h.ecnCapable ? ECN.capable : 0) << 16) | total;
    const third = (TTL << 24) | (IP_PROTOCOL_UDP << 16);
    const sip = this.#own.ip;
    const sum = halves(first) + DONT_FRAGMENT + halves(third) + halves(sip) + halves(h.destIp);
    w[at] = swap32(first);
    w[at + 1] = swap32(DONT_FRAGMENT);
    w[at + 2] = swap32(third | checksum(sum));
    w[at + 3] = swap32(sip);
    w[at + 4] = swap32(h.destIp);
  }
}

function halves(word: number): number {
  return (word >>> 16) + (word & 0xffff);
}

/** Complement of a sum of halves with its carries taken in. */
function checksum(sum: number): number {
  const once = (sum & 0xffff) + (sum >>> 16);
  return ~((once & 0xffff) + (once >>> 16)) & 0xffff;
}
