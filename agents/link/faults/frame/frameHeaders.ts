/**
 * What fault rules and their edits need of a frame: where its headers lie, and the fields that rules select by. It reads
 * what is there and judges nothing (roce-transport.md 1).
 */

import { BTH_CLASS, BTH_OP, UDP_PORT_ROCE } from '../../../../rdma/bth.ts';
import type { ByteStore } from '../../../../uvm/bytes/byteStore.ts';
import { OPCODE, WireOpcodes } from '../../../wire/wireOpcodes.ts';

const ETHERTYPE_VLAN = 0x8100;
const ETHERTYPE_IPV4 = 0x0800;
const ETHERTYPE_IPV6 = 0x86dd;
const PROTOCOL_UDP = 17;
const UDP_BYTES = 8;
const BTH_BYTES = 12;
const ICRC_BYTES = 4;
const SYNDROME_AT = BTH_BYTES;

/** One frame. Reused: valid until the next `read`. Offsets are those of the byte store. */
export class FrameHeaders {
  /** Whether it is RoCEv2 with a base transport header; all that follows means something only then. */
  isRoce = false;
  /** 4 or 6. */
  version = 0;
  network = 0;
  udp = 0;
  transport = 0;
  /** Where the invariant CRC is by the length of the datagram. */
  icrc = 0;
  payload = 0;
  /** Without pad; 0 where the headers do not fit. */
  payloadLength = 0;
  padCount = 0;
  /** The two bits of congestion notification: 0 not capable, 1 and 2 capable, 3 experienced. */
  ecn = 0;
  opcode = 0;
  /** `OPCODE` bits; 0 for an opcode that is not known. */
  flags = 0;
  destQp = 0;
  psn = 0;
  /** Of its AETH; 0 without one. */
  syndrome = 0;
  /** Of its DETH; -1 without one. */
  sourceQp = -1;
  /** Of its RETH; 0 without one. */
  dmaLength = 0;

  readonly #bytes: ByteStore;
  readonly #opcodes = new WireOpcodes();

  constructor(bytes: ByteStore) {
    this.#bytes = bytes;
  }

  /** Reads the frame of `length` bytes at `data`. */
  read(data: number, length: number): void {
    const { u8 } = this.#bytes;
    this.isRoce = false;
    const tagged = length > 18 && be16(u8, data + 12) === ETHERTYPE_VLAN;
    const network = data + (tagged ? 18 : 14);
    const type = be16(u8, network - 2);
    this.network = network;
    if (type === ETHERTYPE_IPV4) this.#ip(u8, 4, network + 20, network + 9, data + length);
    else if (type === ETHERTYPE_IPV6) this.#ip(u8, 6, network + 40, network + 6, data + length);
  }

  /** Whether it is an answer that acknowledges: what a lost one of these costs is an answer. */
  get isResponse(): boolean {
    return (this.flags & OPCODE.response) !== 0;
  }

  #ip(u8: Uint8Array, version: number, udp: number, protocol: number, end: number): void {
    const transport = udp + UDP_BYTES;
    if (transport + BTH_BYTES + ICRC_BYTES > end) return;
    if (u8[protocol] !== PROTOCOL_UDP || be16(u8, udp + 2) !== UDP_PORT_ROCE) return;
    this.isRoce = true;
    this.version = version;
    this.udp = udp;
    this.transport = transport;
    const { network } = this;
    this.ecn = (version === 4 ? (u8[network + 1] as number) : (u8[network + 1] as number) >> 4) & 3;
    const behind = udp + be16(u8, udp + 4);
    this.icrc = Math.min(Math.max(behind, transport + BTH_BYTES + ICRC_BYTES), end) - ICRC_BYTES;
    this.#transport(u8, transport);
  }

  #transport(u8: Uint8Array, at: number): void {
    const opcode = u8[at] as number;
    const flags = this.#opcodes.flags[opcode] as number;
    this.opcode = opcode;
    this.flags = flags;
    this.padCount = ((u8[at + 1] as number) >> 4) & 3;
    this.destQp = be24(u8, at + 5);
    this.psn = be24(u8, at + 9);
    this.payload = at + BTH_BYTES + (this.#opcodes.headerBytes[opcode] as number);
    this.payloadLength = Math.max(0, this.icrc - this.payload - this.padCount);
    this.syndrome = (flags & OPCODE.aeth) === 0 ? 0 : (u8[at + SYNDROME_AT] as number);
    this.sourceQp = (flags & OPCODE.deth) === 0 ? -1 : be24(u8, at + BTH_BYTES + 5);
    this.dmaLength = (flags & OPCODE.reth) === 0 ? 0 : be32(u8, at + BTH_BYTES + 12);
  }
}

/** Whether an opcode asks for data: it stands for as many PSNs as its answer has packets. */
export function isReadRequest(opcode: number): boolean {
  return opcode === (BTH_CLASS.rc | BTH_OP.readRequest);
}

function be16(u8: Uint8Array, at: number): number {
  return ((u8[at] as number) << 8) | (u8[at + 1] as number);
}

function be24(u8: Uint8Array, at: number): number {
  return ((u8[at] as number) << 16) | be16(u8, at + 1);
}

function be32(u8: Uint8Array, at: number): number {
  return (u8[at] as number) * 2 ** 24 + be24(u8, at + 1);
}
