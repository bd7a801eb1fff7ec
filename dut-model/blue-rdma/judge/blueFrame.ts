/** Decodes frames of blue-rdma for the judge (blue-rdma.md section 8): code of its own, as that of NIC and driver is. */
import { BLUE_BTH, DRIVER_ACK_BYTES, FRAME, IMMEDIATE_AT, RETH, RRETH, WINDOW_ETH } from '../layout/wire.ts';
import type { ByteStore } from '../../../uvm/bytes/byteStore.ts';
import { internetSum } from './internetSum.ts';

/** Transport 0, RC, and operations as the standard numbers them. */
const KINDS: readonly (readonly [kind: Kind, opcodes: readonly number[]])[] = [
  ['send', [0x00, 0x01, 0x02, 0x04, 0x03, 0x05]],
  ['write', [0x06, 0x07, 0x08, 0x0a, 0x09, 0x0b]],
  ['response', [0x0d, 0x0e, 0x0f, 0x10]],
  ['read', [0x0c]],
  ['acknowledge', [0x11]],
  ['congestion', [0x81]],
];
const STARTS: readonly number[] = [0x00, 0x04, 0x05, 0x06, 0x0a, 0x0b, 0x0c, 0x0d, 0x10];
const ENDS: readonly number[] = [0x02, 0x03, 0x04, 0x05, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0f, 0x10];
const WITH_IMM: readonly number[] = [0x03, 0x05, 0x09, 0x0b];
const IPV4 = 0x0800;
const UDP = 17;
const ROCE_PORT = 4791;
const DONT_FRAGMENT = 0x4000;

export type Kind = 'send' | 'write' | 'response' | 'read' | 'acknowledge' | 'congestion' | 'unknown';

/** One object serves all frames. */
export class BlueFrame {
  /** Of this protocol at all. */
  ours = false;
  kind: Kind = 'unknown';
  opcode = 0;
  starts = false;
  ends = false;
  retry = false;
  ackRequest = false;
  solicited = false;
  msn = 0;
  destQpn = 0;
  psn = 0;
  sourcePort = 0;
  vaHi = 0;
  vaLo = 0;
  rkey = 0;
  /** What the header says of the length, and bytes of payload. */
  total = 0;
  bytes = 0;
  imm = 0;
  lost = false;
  slid = false;
  byDriver = false;
  psnBefore = 0;
  readonly now = new Uint8Array(16);
  readonly before = new Uint8Array(16);
  /** What is wrong with the headers by themselves, '' for nothing. */
  wrong = '';
  checksumWrong = false;

  readonly #store: ByteStore;
  #at = 0;

  constructor(store: ByteStore) {
    this.#store = store;
  }

  /** @param at byte-store offset @param length bytes without frame check sequence */
  decode(at: number, length: number): void {
    this.#at = at;
    this.wrong = '';
    this.checksumWrong = false;
    const isIp = length >= FRAME.extension && this.#u16(12) === IPV4 && this.#u8(FRAME.ip) >> 4 === 4;
    this.ours = isIp && this.#u8(FRAME.ip + 9) === UDP && this.#u16(FRAME.udp + 2) === ROCE_PORT;
    if (!this.ours) return;
    this.#bth();
    if (this.kind === 'acknowledge') this.#window();
    else if (this.kind !== 'congestion') this.#reth(length);
    this.#network(length);
  }

  /** Whether a bit of a window is set; bit 0 is its oldest PSN. */
  isSet(window: 'now' | 'before', bit: number): boolean {
    // Highest byte first.
    return ((this[window][15 - (bit >> 3)] as number) & (1 << (bit & 7))) !== 0;
  }

  #bth(): void {
    const flags = this.#u8(FRAME.bth + BLUE_BTH.flags);
    this.opcode = this.#u8(FRAME.bth + BLUE_BTH.opcode);
    this.kind = KINDS.find(([, opcodes]) => opcodes.includes(this.opcode))?.[0] ?? 'unknown';
    this.starts = STARTS.includes(this.opcode);
    this.ends = ENDS.includes(this.opcode);
    this.solicited = (flags & BLUE_BTH.solicited) !== 0;
    this.retry = (flags & BLUE_BTH.retry) !== 0;
    this.msn = this.#u16(FRAME.bth + BLUE_BTH.msn);
    this.destQpn = this.#u24(FRAME.bth + BLUE_BTH.destQpn);
    this.ackRequest = (this.#u8(FRAME.bth + BLUE_BTH.ackRequest) & BLUE_BTH.ackRequestBit) !== 0;
    this.psn = this.#u24(FRAME.bth + BLUE_BTH.psn);
    if ((flags & 0x3f) !== 0) this.wrong = 'pad count or version of the BTH is not 0';
    if (this.kind === 'unknown') this.wrong = `opcode 0x${this.opcode.toString(16)} does not exist`;
  }

  #reth(length: number): void {
    const at = FRAME.extension;
    this.vaHi = this.#u32(at + RETH.va);
    this.vaLo = this.#u32(at + RETH.va + 4);
    this.rkey = this.#u32(at + RETH.rkey) >>> 0;
    this.total = this.#u32(at + RETH.length) >>> 0;
    const withImm = WITH_IMM.includes(this.opcode);
    this.imm = withImm ? this.#u32(at + IMMEDIATE_AT) : 0;
    const behind = FRAME.udp + this.#u16(FRAME.udp + 4) - FRAME.payload;
    const pad = behind > 0 ? this.vaLo & 3 : 0;
    this.bytes = behind - pad;
    const used = this.kind === 'read' ? RRETH.lkey + 4 : withImm ? IMMEDIATE_AT + 4 : RETH.length + 4;
    if (this.bytes < 0 || behind + FRAME.payload > length) this.wrong = 'UDP length and frame do not agree';
    else if (!this.#zero(at + used, FRAME.payload + pad))
      this.wrong = 'unused bytes of the extension, or pad, are not 0';
  }

  #window(): void {
    const at = FRAME.extension;
    const flags = this.#u8(at + WINDOW_ETH.flags);
    const start = this.#at + at;
    this.before.set(this.#store.u8.subarray(start + WINDOW_ETH.before, start + WINDOW_ETH.before + 16));
    this.now.set(this.#store.u8.subarray(start + WINDOW_ETH.now, start + WINDOW_ETH.now + 16));
    this.lost = (flags & WINDOW_ETH.lost) !== 0;
    this.slid = (flags & WINDOW_ETH.slid) !== 0;
    this.byDriver = (flags & WINDOW_ETH.byDriver) !== 0;
    this.psnBefore = this.#u24(at + WINDOW_ETH.psnBefore);
    this.bytes = 0;
    if ((flags & 0x1f) !== 0) this.wrong = 'reserved flags of an acknowledgement are not 0';
  }

  #network(length: number): void {
    const { ip, udp } = FRAME;
    const udpLength = this.#u16(udp + 4);
    const checksum = this.#u16(udp + 6);
    this.sourcePort = this.#u16(udp);
    if (this.#u8(ip) !== 0x45) this.wrong = 'IPv4 header has options';
    else if (this.#u16(ip + 6) !== DONT_FRAGMENT) this.wrong = 'IPv4 header lacks DF, or is of a fragment';
    else if (this.#u8(ip + 8) !== 64) this.wrong = `TTL is ${this.#u8(ip + 8)}`;
    else if (this.#u16(ip + 2) !== udpLength + 20) this.wrong = 'lengths of IPv4 and UDP do not agree';
    else if (internetSum(this.#store.u8, this.#at + ip, 20) !== 0xffff) this.wrong = 'checksum of the IPv4 header';
    const byDriver = this.kind === 'acknowledge' && this.byDriver;
    if (byDriver && udpLength + udp === DRIVER_ACK_BYTES) this.checksumWrong = !this.#udpIsRight(udpLength, checksum);
    else this.checksumWrong = checksum !== 0;
    if (length < udp + udpLength) this.wrong = 'frame is shorter than its UDP length';
  }

  #udpIsRight(length: number, checksum: number): boolean {
    if (checksum === 0) return false;
    const { u8 } = this.#store;
    const addresses = internetSum(u8, this.#at + FRAME.ip + 12, 8);
    return internetSum(u8, this.#at + FRAME.udp, length, addresses + UDP + length) === 0xffff;
  }

  #zero(from: number, to: number): boolean {
    for (let i = from; i < to; i++) if (this.#u8(i) !== 0) return false;
    return true;
  }

  #u8(at: number): number {
    return this.#store.u8[this.#at + at] as number;
  }

  #u16(at: number): number {
    return (this.#u8(at) << 8) | this.#u8(at + 1);
  }

  #u24(at: number): number {
    return (this.#u8(at) << 16) | this.#u16(at + 1);
  }

  #u32(at: number): number {
    return (this.#u16(at) << 16) | this.#u16(at + 2);
  }
}
