/** Bugs that spoil one field of a frame now and then, each with a rule of its own that the frame breaks. */
import { BTH_CLASS, BTH_OP } from '../../../../rdma/bth.ts';
import { FrameBuilder } from '../../../roce/frameBuilder.ts';
import {
  BTH_BYTES,
  ETHERNET_BYTES,
  FRAME_START,
  IPV4_BYTES,
  L3_AT,
  MIN_FRAME,
  UDP_BYTES,
} from '../../../roce/frameLayout.ts';
import type { ByteStore } from '../../../../uvm/bytes/byteStore.ts';
import { Every, type Fault, faultsOf, planted } from '../fault.ts';
import { HEADER_ROWS } from './rows/headerRows.ts';

/** Offsets in the Ethernet and IPv4 headers, the UDP header and the base transport header. */
const ETHERTYPE = FRAME_START + ETHERNET_BYTES - 2;

const IP_TOTAL = 2;

const IP_CHECKSUM = 10;

const UDP_LENGTH = 4;

const UDP_CHECKSUM = 6;

const BTH_FLAGS = 1;

const BTH_DEST_QPN = 5;

const BTH_ACK_REQUEST = 8;

const RETH_LENGTH = BTH_BYTES + 12;

const ROUNDS = 12;

/** Where the headers of a frame lie in the byte store. */
interface Headers {
  readonly u8: Uint8Array;
  readonly block: number;
  readonly ip: number;
  readonly udp: number;
  readonly bth: number;
}

interface Spoiling {
  /** Changes what the ICRC covers. */
  readonly before?: (h: Headers) => void;
  /** Changes what it does not cover, or is not to be right for. */
  readonly after?: (h: Headers) => void;
  /** Bytes that the frame gets behind its end. */
  readonly trailer?: number;
  /** Packets that are meant; default all. */
  readonly of?: (h: Headers) => boolean;
}

/** A builder that spoils every twelfth frame of those that are meant. */
function spoiling({ before, after, trailer = 0, of }: Spoiling): typeof FrameBuilder {
  return class extends FrameBuilder {
    readonly #turn = new Every(ROUNDS);
    readonly #store: ByteStore;

    constructor(bytes: ByteStore) {
      super(bytes);
      this.#store = bytes;
    }

    override end(block: number, l3Bytes: number, payloadEnd: number): number {
      const ip = block + L3_AT;
      const udp = ip + l3Bytes;
      const h = { u8: this.#store.u8, block, ip, udp, bth: udp + UDP_BYTES };
      const hit = l3Bytes === IPV4_BYTES && (of === undefined || of(h)) && this.#turn.hit();
      if (hit) before?.(h);
      const length = super.end(block, l3Bytes, payloadEnd);
      if (hit) after?.(h);
      return hit && length > MIN_FRAME ? length + trailer : length;
    }
  };
}

function flip(field: 'ip' | 'udp' | 'bth', offset: number, bits: number): (h: Headers) => void {
  return (h) => {
    const at = h[field] + offset;
    h.u8[at] = (h.u8[at] as number) ^ bits;
  };
}

/** Packets of one opcode, turned into those of another. */
function opcode(from: number, to: number): Spoiling {
  return { of: isOpcode(from), before: flip('bth', 0, from ^ to) };
}

function isOpcode(code: number): (h: Headers) => boolean {
  return ({ u8, bth }) => u8[bth] === code;
}

function spoilt(spoil: Spoiling): Fault['create'] {
  return planted({ builder: spoiling(spoil) });
}

function noDestination({ u8, bth }: Headers): void {
  u8.fill(0, bth + BTH_DEST_QPN, bth + BTH_DEST_QPN + 3);
}

/** Says that the last three bytes are no data. */
function mostPad({ u8, bth }: Headers): void {
  u8[bth + BTH_FLAGS] = (u8[bth + BTH_FLAGS] as number) | 0x30;
}

function otherProtocol({ u8, block }: Headers): void {
  u8[block + ETHERTYPE] = 0x89;
}

export const HEADER_FAULTS = faultsOf(HEADER_ROWS, {
  frame_trailer: spoilt({ trailer: 4 }),
  other_protocol: spoilt({ after: otherProtocol }),
  ip_options: spoilt({ after: flip('ip', 0, 3) }),
  ip_length: spoilt({
    after: flip('ip', IP_TOTAL, 0x40),
  }),
  ip_checksum: spoilt({ after: flip('ip', IP_CHECKSUM, 1) }),
  udp_length: spoilt({ before: flip('udp', UDP_LENGTH, 0x40) }),
  udp_checksum: spoilt({
    after: flip('udp', UDP_CHECKSUM, 1),
  }),
  bth_reserved: spoilt({ before: flip('bth', BTH_ACK_REQUEST, 0x40) }),
  pad_count: spoilt({
    of: isOpcode(BTH_OP.sendOnly),
    before: mostPad,
  }),
  no_destination: spoilt({ before: noDestination }),
  odd_syndrome: spoilt({
    of: isOpcode(BTH_OP.acknowledge),
    before: flip('bth', BTH_BYTES, 0x40),
  }),
  deth_reserved: spoilt({
    of: isOpcode(BTH_CLASS.ud | BTH_OP.sendOnly),
    before: flip('bth', BTH_BYTES + 4, 0x80),
  }),
  other_service: spoilt(opcode(BTH_OP.sendOnly, BTH_OP.sendOnly | 0x20)),
  only_is_first: spoilt(opcode(BTH_OP.sendOnly, BTH_OP.sendFirst)),
  last_is_only: spoilt(opcode(BTH_OP.sendLast, BTH_OP.sendOnly)),
  response_ends: spoilt(opcode(BTH_OP.readResponseMiddle, BTH_OP.readResponseLast)),
  reth_length: spoilt({
    of: isOpcode(BTH_OP.writeOnly),
    before: flip('bth', RETH_LENGTH + 3, 4),
  }),
});
