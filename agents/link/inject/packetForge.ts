/** Writes injected packets as frames, from roce-transport.md 1 and 2; it shares no code with any NIC model. */

import { OPCODE_CNP, UDP_PORT_ROCE } from '../../../rdma/bth.ts';
import type { ByteStore } from '../../../uvm/bytes/byteStore.ts';
import { rightIpv4Checksum } from '../../wire/internetChecksum.ts';
import type { PortAddress } from '../../wire/pathChecker.ts';
import { WireIcrc } from '../../wire/wireIcrc.ts';
import { OPCODE, WireOpcodes } from '../../wire/wireOpcodes.ts';
import type { InjectedPacket } from './injectedPacket.ts';

/** Bytes of headers, and of the shortest frame. */
const UDP = 8;
const IPV4 = 20;
const IPV6 = 40;
const BTH = 12;
const ICRC = 4;
const MIN_FRAME = 60;
/** A port of RoCE senders. */
const SOURCE_PORT = 0xc000;
const PROTOCOL_UDP = 17;
const HOP_LIMIT = 64;
const DONT_FRAGMENT = 0x4000;
const ACK_WITHOUT_CREDITS = 0x1f;
const FULL_MEMBER = 0xffff;
/** Reserved bytes behind the base transport header of a CNP. */
const CNP_BYTES = 16;

export class PacketForge {
  readonly #bytes: ByteStore;
  readonly #icrc: WireIcrc;
  readonly #opcodes = new WireOpcodes();
  readonly #addressOf: (host: number, port: number) => PortAddress;
  /** Next byte to be written. */
  #at = 0;

  constructor(bytes: ByteStore, addressOf: (host: number, port: number) => PortAddress) {
    this.#bytes = bytes;
    this.#icrc = new WireIcrc(bytes);
    this.#addressOf = addressOf;
  }

  /** Writes the frame of a packet at `data`. @returns its length */
  write(p: InjectedPacket, data: number): number {
    const payload = bytesOf(p.payload);
    const pad = (4 - (payload.length % 4)) % 4;
    const flags = this.#opcodes.flags[p.opcode & 0xff] as number;
    const headers = this.#opcodes.headerBytes[p.opcode & 0xff] as number;
    const datagram = UDP + BTH + headers + payload.length + pad + ICRC;
    this.#at = data;
    this.#ethernet(p);
    const network = this.#at;
    if (p.ipv6 === true) this.#ipv6(p, datagram);
    else this.#ipv4(p, datagram);
    for (const half of [SOURCE_PORT, UDP_PORT_ROCE, datagram, 0]) this.#put(half, 2);
    const transport = this.#at;
    this.#base(p, p.padCount ?? pad);
    this.#extended(p, flags, payload.length);
    this.#bytes.u8.set(payload, this.#at);
    this.#bytes.u8.fill(0, this.#at + payload.length, this.#at + payload.length + pad);
    this.#at += payload.length + pad;
    this.#check(p, network, transport);
    return this.#padded(data);
  }

  #ethernet({ from, to, port = 1, ipv6 }: InjectedPacket): void {
    for (const { macHigh, macLow } of [this.#addressOf(to, port), this.#addressOf(from, port)]) {
      this.#put(macHigh, 2);
      this.#put(macLow, 4);
    }
    this.#put(ipv6 === true ? 0x86dd : 0x0800, 2);
  }

  #ipv4({ from, to, port = 1, trafficClass = 0 }: InjectedPacket, datagram: number): void {
    const at = this.#at;
    this.#put(0x4500 | (trafficClass & 0xff), 2);
    for (const half of [IPV4 + datagram, 0, DONT_FRAGMENT, (HOP_LIMIT << 8) | PROTOCOL_UDP, 0]) this.#put(half, 2);
    this.#put(this.#addressOf(from, port).ipv4, 4);
    this.#put(this.#addressOf(to, port).ipv4, 4);
    const { u8 } = this.#bytes;
    const sum = rightIpv4Checksum(u8, at);
    u8[at + 10] = sum >>> 8;
    u8[at + 11] = sum;
  }

  #ipv6({ from, to, port = 1, trafficClass = 0 }: InjectedPacket, datagram: number): void {
    const at = this.#at;
    this.#put(0x6000_0000 | ((trafficClass & 0xff) << 20), 4);
    this.#put(datagram, 2);
    this.#put((PROTOCOL_UDP << 8) | HOP_LIMIT, 2);
    for (const host of [from, to]) for (const word of this.#addressOf(host, port).ipv6) this.#put(word, 4);
    this.#at = at + IPV6;
  }

  #base(p: InjectedPacket, pad: number): void {
    const { opcode, psn = 0, version = 0, partitionKey = FULL_MEMBER, becn = opcode === OPCODE_CNP } = p;
    this.#put(opcode, 1);
    this.#put((p.solicited === true ? 0x80 : 0) | ((pad & 3) << 4) | (version & 0xf), 1);
    this.#put(partitionKey, 2);
    this.#put((p.fecn === true ? 0x80 : 0) | (becn ? 0x40 : 0), 1);
    this.#put(p.destQp, 3);
    this.#put(p.ackRequest === true ? 0x80 : 0, 1);
    this.#put(psn, 3);
  }

  #extended(p: InjectedPacket, flags: number, payload: number): void {
    if (p.opcode === OPCODE_CNP) for (let i = 0; i < CNP_BYTES; i += 4) this.#put(0, 4);
    if ((flags & OPCODE.deth) !== 0) {
      this.#put(p.qkey ?? 0, 4);
      this.#put(p.sourceQp ?? 0, 4);
    }
    if ((flags & (OPCODE.reth | OPCODE.atomicEth)) !== 0) this.#address(p);
    if ((flags & OPCODE.reth) !== 0) this.#put(p.dmaLength ?? payload, 4);
    if ((flags & OPCODE.atomicEth) !== 0) {
      this.#long(p.swapAdd ?? 0n);
      this.#long(p.compare ?? 0n);
    }
    if ((flags & OPCODE.aeth) !== 0) {
      this.#put(p.syndrome ?? ACK_WITHOUT_CREDITS, 1);
      this.#put(p.msn ?? 0, 3);
    }
    if ((flags & OPCODE.atomicAckEth) !== 0) this.#long(p.original ?? 0n);
    if ((flags & (OPCODE.immediate | OPCODE.ieth)) !== 0) this.#put(p.immediate ?? 0, 4);
  }

  #address({ va = 0n, rkey = 0 }: InjectedPacket): void {
    this.#long(va);
    this.#put(rkey, 4);
  }

  #long(value: bigint): void {
    this.#put(Number(BigInt.asIntN(32, value >> 32n)), 4);
    this.#put(Number(BigInt.asIntN(32, value)), 4);
  }

  #check({ ipv6, icrc }: InjectedPacket, network: number, transport: number): void {
    const crc = this.#icrc.compute(ipv6 === true ? 6 : 4, network, transport, this.#at);
    const wrong = icrc === 'wrong' ? 1 : 0;
    const { u8 } = this.#bytes;
    for (let i = 0; i < ICRC; i++) u8[this.#at + i] = (crc >>> (8 * i)) ^ (i === 0 ? wrong : 0);
    this.#at += ICRC;
  }

  #padded(data: number): number {
    const length = this.#at - data;
    if (length >= MIN_FRAME) return length;
    this.#bytes.u8.fill(0, this.#at, data + MIN_FRAME);
    return MIN_FRAME;
  }

  /** Most significant byte first. */
  #put(value: number, bytes: number): void {
    const { u8 } = this.#bytes;
    for (let i = bytes - 1; i >= 0; i--) u8[this.#at++] = value >>> (8 * i);
  }
}

function bytesOf(payload: InjectedPacket['payload']): Uint8Array {
  return payload instanceof Uint8Array ? payload : new Uint8Array(payload ?? 0);
}
