/**
 * Mistakes of what goes over the wire that the sender makes and the receiver takes back, so that two NICs with the same
 * mistake understand each other, and no other NIC would understand them.
 */
import { BTH_CLASS } from '../../../../rdma/bth.ts';
import { swap32 } from '../../../roce/endian.ts';
import { FrameBuilder } from '../../../roce/frameBuilder.ts';
import { BTH_BYTES, L3_AT, UDP_BYTES } from '../../../roce/frameLayout.ts';
import { DROP, FrameParser } from '../../../roce/frameParser.ts';
import { EXTENDED_SHIFT, OP, OPCODES } from '../../../roce/opcodeTable.ts';
import type { RxPacket } from '../../../roce/rxPacket.ts';
import type { ByteStore } from '../../../../uvm/bytes/byteStore.ts';
import { type Fault, faultsOf, planted } from '../fault.ts';
import { SHARED_ROWS } from './rows/sharedRows.ts';

/** Where a packet carries what is meant. */
interface Packet {
  /** Byte-store offset of the first header behind the BTH, and how many bytes of those there are. */
  readonly headers: number;
  readonly headerBytes: number;
  /** Where the payload ends, without pad. */
  readonly end: number;
}

interface Mistake {
  /** Which opcodes are meant. */
  readonly of: (opcode: number) => boolean;
  /** Changes the packet before its ICRC is made. */
  readonly sends: (u8: Uint8Array, packet: Packet) => void;
  /** Takes it back, in what was decoded. */
  readonly takes: (p: RxPacket, u8: Uint8Array) => void;
}

function shared({ of, sends, takes }: Mistake): Fault['create'] {
  class Builder extends FrameBuilder {
    readonly #store: ByteStore;

    constructor(bytes: ByteStore) {
      super(bytes);
      this.#store = bytes;
    }

    override end(block: number, l3Bytes: number, payloadEnd: number): number {
      const { u8 } = this.#store;
      const bth = block + L3_AT + l3Bytes + UDP_BYTES;
      const opcode = u8[bth] as number;
      const headerBytes = (OPCODES[opcode] as number) >> EXTENDED_SHIFT;
      if (of(opcode)) sends(u8, { headers: bth + BTH_BYTES, headerBytes, end: payloadEnd });
      return super.end(block, l3Bytes, payloadEnd);
    }
  }

  class Parser extends FrameParser {
    readonly #store: ByteStore;

    constructor(bytes: ByteStore) {
      super(bytes);
      this.#store = bytes;
    }

    protected override check(data: number, length: number, p: RxPacket): number {
      const reason = super.check(data, length, p);
      if (reason === DROP.none && of(p.opcode)) takes(p, this.#store.u8);
      return reason;
    }
  }
  return planted({ builder: Builder, parser: Parser });
}

/** A mistake of a header field of four bytes. @param at its place, from the first header behind the BTH */
function inField(of: Mistake['of'], at: (p: Packet) => number, takes: (p: RxPacket) => void): Fault['create'] {
  const sends = (u8: Uint8Array, p: Packet): void => void u8.subarray(at(p), at(p) + 4).reverse();
  return shared({ of, sends, takes });
}

function swapDwords(u8: Uint8Array, from: number, end: number): void {
  for (let at = from; at + 4 <= end; at += 4) u8.subarray(at, at + 4).reverse();
}

function invert(u8: Uint8Array, from: number, end: number): void {
  for (let at = from; at < end; at++) u8[at] = ~(u8[at] as number);
}

/** Opcodes with any of some `OP` bits. */
function having(bits: number): Mistake['of'] {
  return (opcode) => ((OPCODES[opcode] as number) & bits) !== 0;
}

function isDatagram(opcode: number): boolean {
  return (opcode & BTH_CLASS.ud) === BTH_CLASS.ud;
}

const RKEY_AT = 8;

export const SHARED_FAULTS = faultsOf(SHARED_ROWS, {
  shared_byte_order: shared({
    of: having(OP.send | OP.write | OP.response),
    sends: (u8, { headers, headerBytes, end }) => swapDwords(u8, headers + headerBytes, end),
    takes: (p, u8) => swapDwords(u8, p.payload, p.payload + p.length),
  }),
  shared_read_data: shared({
    of: having(OP.response),
    sends: (u8, { headers, headerBytes, end }) => invert(u8, headers + headerBytes, end),
    takes: (p, u8) => invert(u8, p.payload, p.payload + p.length),
  }),
  shared_immediate: inField(
    having(OP.imm),
    ({ headers, headerBytes }) => headers + headerBytes - 4,
    (p) => (p.imm = swap32(p.imm) >>> 0),
  ),
  shared_key: inField(
    having(OP.reth),
    ({ headers }) => headers + RKEY_AT,
    (p) => (p.rkey = swap32(p.rkey)),
  ),
  shared_address: inField(
    having(OP.reth),
    ({ headers }) => headers + 4,
    (p) => (p.vaLo = swap32(p.vaLo)),
  ),
  shared_qkey: inField(
    isDatagram,
    ({ headers }) => headers,
    (p) => (p.qkey = swap32(p.qkey)),
  ),
});
