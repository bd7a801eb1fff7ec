/** A frame as fault rules see it: its headers, and what is known of the queue pairs at both ends. */

import { psnsOf } from '../../../wire/psnArithmetic.ts';
import { BTH_CLASS } from '../../../../rdma/bth.ts';
import { MTU_BYTES, QP_TYPE } from '../../../../rdma/verbs.ts';
import type { ByteStore } from '../../../../uvm/bytes/byteStore.ts';
import { MESSAGE, OPCODE, messageOf } from '../../../wire/wireOpcodes.ts';
import type { FrameItem } from '../../linkItems.ts';
import { FrameHeaders, isReadRequest } from './frameHeaders.ts';
import type { QpDirectory, QpEntry } from './qpDirectory.ts';
import { Transmissions } from './transmissions.ts';

/** Of `round`: neither a request nor an answer with data, so that no repetition can be told from a new one. */
export const NO_ROUND = -1;
const CLASS_BITS = 0xe0;
const LARGEST_MTU = 4096;

/** Reused: valid until the next `look`. */
export class FrameView {
  host = 0;
  /** Of the sender's NIC and of the receiver's, from 1. */
  port = 1;
  to = -1;
  /** Among all frames that the host sends, from 1. */
  ordinal = 0;
  /** First bit on the wire, ps. */
  time = Number.NaN;
  readonly headers: FrameHeaders;
  /** Queue pair that sends it and that it goes to; undefined where they are not known. */
  sender: QpEntry | undefined;
  receiver: QpEntry | undefined;
  /** `QP_TYPE`; -1 for a frame of none. */
  service = -1;
  /** First PSN of the connection in the direction in which its PSNs count; -1 where it is not known. */
  firstPsn = -1;
  /** How often it has been sent before; `NO_ROUND`. */
  round = NO_ROUND;
  /** Requests between two queue pairs, and their answers, have a key each. */
  flow = -1;
  /** PSNs that it stands for. */
  span = 1;

  readonly #directory: QpDirectory;
  readonly #transmissions = new Transmissions();

  constructor(bytes: ByteStore, directory: QpDirectory) {
    this.headers = new FrameHeaders(bytes);
    this.#directory = directory;
  }

  /** Looks at a frame that is sent: each once, in order. */
  look(item: FrameItem, ordinal: number): void {
    this.#see(item);
    this.ordinal = ordinal;
    this.#count();
  }

  /** Looks at a frame that arrives: as `look`, but that it is no further transmission. */
  lookAtArrival(item: FrameItem): void {
    this.#see(item);
    this.round = NO_ROUND;
  }

  #see(item: FrameItem): void {
    const { headers } = this;
    this.host = item.host;
    this.port = item.port;
    this.to = item.to;
    this.time = item.time;
    this.service = -1;
    this.sender = undefined;
    this.receiver = undefined;
    this.firstPsn = -1;
    this.flow = -1;
    this.span = 1;
    headers.read(item.data, item.length);
    if (headers.isRoce) this.#findQueuePairs(headers);
  }

  #findQueuePairs(h: FrameHeaders): void {
    const { host, to } = this;
    const receiver = to < 0 ? undefined : this.#directory.find(to, h.destQp);
    this.receiver = receiver;
    this.service = serviceOf(h.opcode);
    if (h.sourceQp >= 0) {
      this.sender = this.#directory.find(host, h.sourceQp);
      this.firstPsn = this.sender?.sqPsn ?? -1;
      return;
    }
    if (to >= 0) this.flow = flowKey(host, to, h.destQp, h.isResponse);
    if (receiver === undefined || receiver.remoteHost !== host) return;
    const sender = this.#directory.find(host, receiver.destQpn);
    this.sender = sender;
    // Answers carry the PSNs of the requests, which are those of whom they go to.
    this.firstPsn = h.isResponse ? receiver.sqPsn : receiver.rqPsn;
    if (isReadRequest(h.opcode)) this.span = psnsOf(h.dmaLength, mtuOf(sender ?? receiver));
  }

  #count(): void {
    const { flags, psn } = this.headers;
    this.round = NO_ROUND;
    if (!this.headers.isRoce) return;
    const isCounted = (flags & OPCODE.request) !== 0 || (this.headers.isResponse && !isAcknowledge(flags));
    if (!isCounted) return;
    this.round = this.flow < 0 ? 0 : this.#transmissions.note(this.flow, this.firstPsn, psn, this.span);
  }
}

/** One number for the packets from a host to a queue pair of another, requests or answers. */
export function flowKey(host: number, to: number, destQp: number, answers: boolean): number {
  return ((host * 64 + to) * 2 ** 24 + destQp) * 2 + (answers ? 1 : 0);
}

/** Path MTU in bytes; the largest where it is not known. */
function mtuOf({ pathMtu }: QpEntry): number {
  return (pathMtu > 0 ? MTU_BYTES[pathMtu] : undefined) ?? LARGEST_MTU;
}

/** An answer without data, which may be sent for many reasons. */
function isAcknowledge(flags: number): boolean {
  return messageOf(flags) === MESSAGE.acknowledge;
}

function serviceOf(opcode: number): number {
  switch (opcode & CLASS_BITS) {
    case BTH_CLASS.rc:
      return QP_TYPE.rc;
    case BTH_CLASS.uc:
      return QP_TYPE.uc;
    case BTH_CLASS.ud:
      return QP_TYPE.ud;
    default:
      return -1;
  }
}
