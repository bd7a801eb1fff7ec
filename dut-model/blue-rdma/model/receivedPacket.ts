/** A received RDMA packet, decoded (blue-rdma.md section 8). One object serves all packets. */
import { BTH_OP } from '../../../rdma/bth.ts';
import { BLUE_BTH, CNP_OPCODE, ECN, FRAME, IMMEDIATE_AT, RETH, RRETH, WINDOW_ETH } from '../layout/wire.ts';

/** What kind of packet an opcode is of. */
export const PACKET_KIND = {
  unknown: 0,
  write: 1,
  send: 2,
  readResponse: 3,
  readRequest: 4,
  acknowledge: 5,
  congestion: 6,
} as const;

/** Of an opcode: kind in the lower bits. */
const FIRST = 0x10;
const LAST = 0x20;
const IMM = 0x40;
const KIND_MASK = 0xf;

const KINDS = kindTable();

export class ReceivedPacket {
  opcode = 0;
  kind = 0;
  /** It begins, or ends, a message; Only does both. */
  first = false;
  last = false;
  withImm = false;
  solicited = false;
  retry = false;
  ackRequest = false;
  /** Congestion was experienced on the way. */
  congestion = false;
  version = 0;
  msn = 0;
  destQpn = 0;
  psn = 0;
  vaHi = 0;
  vaLo = 0;
  rkey = 0;
  /** Of the RETH. */
  length = 0;
  imm = 0;
  localHi = 0;
  localLo = 0;
  lkey = 0;
  /** Byte-store offset and bytes of the payload, without pad. */
  payload = 0;
  bytes = 0;
  /** Byte-store offset of the extension. */
  extension = 0;
  /** Flags of a bitmap extension, and its PSN. */
  windowFlags = 0;
  psnBefore = 0;

  /**
   * Decodes a frame that is IPv4, UDP and of the port of RDMA.
   * @returns false when it is too short for its headers, or its lengths contradict each other
   */
  parse(m: Uint8Array, at: number, length: number): boolean {
    const end = at + FRAME.udp + be16(m, at + FRAME.udp + 4);
    if (end > at + length || end < at + FRAME.extension) return false;
    this.#bth(m, at + FRAME.bth);
    this.congestion = ((m[at + FRAME.ip + 1] as number) & ECN.mask) === ECN.experienced;
    const e = at + FRAME.extension;
    this.extension = e;
    this.bytes = 0;
    if (this.kind === PACKET_KIND.acknowledge) return this.#window(m, e, end);
    if (this.kind === PACKET_KIND.congestion || this.kind === PACKET_KIND.unknown) return true;
    if (end < at + FRAME.payload) return false;
    this.#reth(m, e);
    const pad = end === at + FRAME.payload ? 0 : this.vaLo & 3;
    this.payload = at + FRAME.payload + pad;
    this.bytes = end - this.payload;
    return this.bytes >= 0;
  }

  #bth(m: Uint8Array, b: number): void {
    const flags = m[b + BLUE_BTH.flags] as number;
    this.opcode = m[b] as number;
    const kind = KINDS[this.opcode] as number;
    this.kind = kind & KIND_MASK;
    this.first = (kind & FIRST) !== 0;
    this.last = (kind & LAST) !== 0;
    this.withImm = (kind & IMM) !== 0;
    this.solicited = (flags & BLUE_BTH.solicited) !== 0;
    this.retry = (flags & BLUE_BTH.retry) !== 0;
    this.version = flags & BLUE_BTH.versionMask;
    this.msn = be16(m, b + BLUE_BTH.msn);
    this.destQpn = be24(m, b + BLUE_BTH.destQpn);
    this.ackRequest = ((m[b + BLUE_BTH.ackRequest] as number) & BLUE_BTH.ackRequestBit) !== 0;
    this.psn = be24(m, b + BLUE_BTH.psn);
  }

  #reth(m: Uint8Array, e: number): void {
    this.vaHi = be32(m, e + RETH.va);
    this.vaLo = be32(m, e + RETH.va + 4);
    this.rkey = be32(m, e + RETH.rkey);
    this.length = be32(m, e + RETH.length) >>> 0;
    this.imm = this.withImm ? be32(m, e + IMMEDIATE_AT) : 0;
    if (this.kind !== PACKET_KIND.readRequest) return;
    this.localHi = be32(m, e + RRETH.va);
    this.localLo = be32(m, e + RRETH.va + 4);
    this.lkey = be32(m, e + RRETH.lkey);
  }

  #window(m: Uint8Array, e: number, end: number): boolean {
    if (end < e + WINDOW_ETH.flags + 4) return false;
    this.windowFlags = m[e + WINDOW_ETH.flags] as number;
    this.psnBefore = be24(m, e + WINDOW_ETH.psnBefore);
    return true;
  }

  /** Word of a bitmap, counted from the lowest bits. */
  window(m: Uint8Array, which: 'before' | 'now', word: number): number {
    return be32(m, this.extension + WINDOW_ETH[which] + 4 * (3 - word));
  }
}

export function be16(m: Uint8Array, at: number): number {
  return ((m[at] as number) << 8) | (m[at + 1] as number);
}

function be24(m: Uint8Array, at: number): number {
  return ((m[at] as number) << 16) | be16(m, at + 1);
}

export function be32(m: Uint8Array, at: number): number {
  return (be16(m, at) << 16) | be16(m, at + 2);
}

function kindTable(): Uint8Array {
  const table = new Uint8Array(256);
  const { write, send, readResponse, readRequest, acknowledge, congestion } = PACKET_KIND;
  const set = (opcode: number, kind: number): void => {
    table[opcode] = kind;
  };
  set(BTH_OP.sendFirst, send | FIRST);
  set(BTH_OP.sendMiddle, send);
  set(BTH_OP.sendLast, send | LAST);
  set(BTH_OP.sendLastImm, send | LAST | IMM);
  set(BTH_OP.sendOnly, send | FIRST | LAST);
  set(BTH_OP.sendOnlyImm, send | FIRST | LAST | IMM);
  set(BTH_OP.writeFirst, write | FIRST);
  set(BTH_OP.writeMiddle, write);
  set(BTH_OP.writeLast, write | LAST);
  set(BTH_OP.writeLastImm, write | LAST | IMM);
  set(BTH_OP.writeOnly, write | FIRST | LAST);
  set(BTH_OP.writeOnlyImm, write | FIRST | LAST | IMM);
  set(BTH_OP.readRequest, readRequest | FIRST | LAST);
  set(BTH_OP.readResponseFirst, readResponse | FIRST);
  set(BTH_OP.readResponseMiddle, readResponse);
  set(BTH_OP.readResponseLast, readResponse | LAST);
  set(BTH_OP.readResponseOnly, readResponse | FIRST | LAST);
  set(BTH_OP.acknowledge, acknowledge);
  set(CNP_OPCODE, congestion);
  return table;
}
