import { BTH_CLASS, BTH_OP, OPCODE_CNP } from '../../rdma/bth.ts';

/** What an opcode says about its packet: bits of an entry of the opcode table. */
export const OPCODE = {
  known: 1 << 0,
  /** First and last packet of a message. */
  start: 1 << 1,
  end: 1 << 2,
  request: 1 << 3,
  response: 1 << 4,
  /** Extended headers, in the order of the wire. */
  deth: 1 << 5,
  reth: 1 << 6,
  atomicEth: 1 << 7,
  aeth: 1 << 8,
  atomicAckEth: 1 << 9,
  immediate: 1 << 10,
  ieth: 1 << 11,
  /** The two payload bits. */
  payloadShift: 12,
  /** The three message-kind bits. */
  kindShift: 14,
} as const;

/** Payload rule: nothing, exactly the path MTU, 1 to MTU, 0 to MTU. */
export const PAYLOAD = { none: 0, full: 1, last: 2, only: 3 } as const;

/** Kind of message that a packet belongs to. */
export const MESSAGE = { none: 0, send: 1, write: 2, read: 3, atomic: 4, acknowledge: 5 } as const;

/** `MESSAGE` of an opcode, from its `OPCODE` bits. */
export function messageOf(flags: number): number {
  return (flags >> OPCODE.kindShift) & 7;
}

/**
 * The opcode tables of roce-transport.md 1.6: for each of the 256 opcodes its `OPCODE` bits (0: not known) and the
 * bytes of its extended headers.
 */
export class WireOpcodes {
  readonly flags = new Int32Array(256);
  readonly headerBytes = new Uint8Array(256);

  constructor() {
    this.#requests(BTH_CLASS.rc);
    this.#requests(BTH_CLASS.uc);
    const { start, end, request, response, immediate, ieth, aeth, reth, atomicEth, atomicAckEth } = OPCODE;
    const rc = BTH_CLASS.rc;
    this.#add(rc | BTH_OP.sendLastInv, end | request | ieth, PAYLOAD.last, MESSAGE.send);
    this.#add(rc | BTH_OP.sendOnlyInv, start | end | request | ieth, PAYLOAD.only, MESSAGE.send);
    this.#add(rc | BTH_OP.readRequest, start | end | request | reth, PAYLOAD.none, MESSAGE.read);
    this.#add(rc | BTH_OP.compareSwap, start | end | request | atomicEth, PAYLOAD.none, MESSAGE.atomic);
    this.#add(rc | BTH_OP.fetchAdd, start | end | request | atomicEth, PAYLOAD.none, MESSAGE.atomic);
    this.#add(rc | BTH_OP.readResponseFirst, start | response | aeth, PAYLOAD.full, MESSAGE.read);
    this.#add(rc | BTH_OP.readResponseMiddle, response, PAYLOAD.full, MESSAGE.read);
    this.#add(rc | BTH_OP.readResponseLast, end | response | aeth, PAYLOAD.last, MESSAGE.read);
    this.#add(rc | BTH_OP.readResponseOnly, start | end | response | aeth, PAYLOAD.only, MESSAGE.read);
    this.#add(rc | BTH_OP.acknowledge, start | end | response | aeth, PAYLOAD.none, MESSAGE.acknowledge);
    const atomicAck = start | end | response | aeth | atomicAckEth;
    this.#add(rc | BTH_OP.atomicAcknowledge, atomicAck, PAYLOAD.none, MESSAGE.atomic);
    const datagram = start | end | request | OPCODE.deth;
    this.#add(BTH_CLASS.ud | BTH_OP.sendOnly, datagram, PAYLOAD.only, MESSAGE.send);
    this.#add(BTH_CLASS.ud | BTH_OP.sendOnlyImm, datagram | immediate, PAYLOAD.only, MESSAGE.send);
    this.#add(OPCODE_CNP, start | end, PAYLOAD.none, MESSAGE.none);
  }

  /** SEND and WRITE, which reliable and unreliable connections share. */
  #requests(service: number): void {
    const { start, end, request, immediate, reth } = OPCODE;
    for (const [first, kind, header] of [
      [BTH_OP.sendFirst, MESSAGE.send, 0],
      [BTH_OP.writeFirst, MESSAGE.write, reth],
    ] as const) {
      const at = service | first;
      this.#add(at, start | request | header, PAYLOAD.full, kind);
      this.#add(at + 1, request, PAYLOAD.full, kind);
      this.#add(at + 2, end | request, PAYLOAD.last, kind);
      this.#add(at + 3, end | request | immediate, PAYLOAD.last, kind);
      this.#add(at + 4, start | end | request | header, PAYLOAD.only, kind);
      this.#add(at + 5, start | end | request | header | immediate, PAYLOAD.only, kind);
    }
  }

  #add(opcode: number, bits: number, payload: number, kind: number): void {
    this.flags[opcode] = OPCODE.known | bits | (payload << OPCODE.payloadShift) | (kind << OPCODE.kindShift);
    let bytes = 0;
    if (bits & OPCODE.deth) bytes += 8;
    if (bits & OPCODE.reth) bytes += 16;
    if (bits & OPCODE.atomicEth) bytes += 28;
    if (bits & OPCODE.aeth) bytes += 4;
    if (bits & OPCODE.atomicAckEth) bytes += 8;
    if (bits & (OPCODE.immediate | OPCODE.ieth)) bytes += 4;
    this.headerBytes[opcode] = opcode === OPCODE_CNP ? 16 : bytes;
  }
}
