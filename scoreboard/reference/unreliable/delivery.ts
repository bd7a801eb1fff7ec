/**
 * What packets that have come to the receiver of an unreliable service make up there: one message, or pieces of several that
 * fit together (roce-transport.md 7.1, 7.2). A packet that comes once more makes another delivery. Its packets say how long
 * it is, which operation, and which word comes with it, also where it is not known which request they belong to.
 */

import { BTH_OP } from '../../../rdma/bth.ts';
import { WR_OPCODE } from '../../../rdma/verbs.ts';
import { type Message, NO_MESSAGE, NO_QP, type QueuePair } from '../../model/work.ts';

const OP_BITS = 0x1f;
/** Request that a last or only packet ends, by the operation of its BTH. */
const ENDS_OF: Readonly<Record<number, number>> = {
  [BTH_OP.sendLast]: WR_OPCODE.send,
  [BTH_OP.sendOnly]: WR_OPCODE.send,
  [BTH_OP.sendLastImm]: WR_OPCODE.sendWithImm,
  [BTH_OP.sendOnlyImm]: WR_OPCODE.sendWithImm,
  [BTH_OP.sendLastInv]: WR_OPCODE.sendWithInv,
  [BTH_OP.sendOnlyInv]: WR_OPCODE.sendWithInv,
  [BTH_OP.writeLast]: WR_OPCODE.rdmaWrite,
  [BTH_OP.writeOnly]: WR_OPCODE.rdmaWrite,
  [BTH_OP.writeLastImm]: WR_OPCODE.rdmaWriteWithImm,
  [BTH_OP.writeOnlyImm]: WR_OPCODE.rdmaWriteWithImm,
};

/** Fields of a packet that show in its delivery. */
export interface Piece {
  /** BTH opcode, with its class or without. */
  readonly opcode: number;
  /** ImmDt or IETH; counts in last and only packets that carry one. */
  readonly immediate: number;
  readonly payloadLength: number;
}

/** Whether two packets show alike in a delivery, but for the bytes of their payload. */
export function isAlike(a: Piece, b: Piece): boolean {
  const op = a.opcode & OP_BITS;
  if (op !== (b.opcode & OP_BITS) || a.payloadLength !== b.payloadLength) return false;
  const request = ENDS_OF[op];
  const bare = request === undefined || request === WR_OPCODE.send || request === WR_OPCODE.rdmaWrite;
  return bare || a.immediate === b.immediate;
}

export class Delivery {
  sender: QueuePair = NO_QP;
  /** When its first packet came, ps. */
  beganAt = 0;
  /** Bytes that have come of it. */
  length = 0;
  /** `WR_OPCODE`, known at its end; -1 before. */
  opcode = -1;
  immediate = 0;
  /** The payload of one of its packets was changed on the way. */
  altered = false;
  #message: Message = NO_MESSAGE;
  #order = 0;

  /** The request that its first packet belongs to, if its record still is that of the request; or one that does not exist. */
  get message(): Message {
    const r = this.#message;
    return r.exists && r.order === this.#order ? r : NO_MESSAGE;
  }

  /** Its first packet has come, of `sender` and of `message` as of `order`. */
  begin(sender: QueuePair, message: Message, order: number, time: number): void {
    this.sender = sender;
    this.#message = message;
    this.#order = order;
    this.beganAt = time;
    this.length = 0;
    this.opcode = -1;
    this.altered = false;
  }

  /** Of which it is not known whose it is: `r` stands for it at its receiver until it ends. */
  holdPlace(r: Message): void {
    this.#message = r;
    this.#order = r.order;
  }

  /** A packet of it has come, perhaps the first. */
  take({ opcode, immediate, payloadLength }: Piece, altered: boolean): void {
    this.length += payloadLength;
    this.opcode = ENDS_OF[opcode & OP_BITS] ?? -1;
    this.immediate = immediate;
    this.altered ||= altered;
  }

  /** Whether it fills a receive, once it is whole. */
  get fillsReceive(): boolean {
    return this.opcode >= 0 && this.opcode !== WR_OPCODE.rdmaWrite;
  }
}
