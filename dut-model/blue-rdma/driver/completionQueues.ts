/** Completions, which the driver makes (blue-rdma.md sections 11.6 and 13). */
import { WorkCompletion } from '../../../agents/verbs/verbsItems.ts';
import { ASYNC_EVENT, QP_STATE, WC_FLAG, WC_OPCODE, WC_STATUS } from '../../../rdma/verbs.ts';
import type { ProviderHost } from '../../../env/providers/provider.ts';
import type { BlueCq, BlueQp, Receive } from './blueObjects.ts';
import { MESSAGE_KIND, type ReceivedMessage } from './tracking/receivedMessages.ts';
import type { SendRequest } from './tracking/sendRequest.ts';
import type { BlueRawQp } from './workers/rawQp.ts';

/** `Cq.armed` of one that waits for solicited completions. */
export const ARMED_SOLICITED = 1;

export class CompletionQueues {
  readonly #host: ProviderHost;
  /** Queues whose event is to be raised. */
  readonly #fired: (cq: BlueCq) => void;

  constructor(host: ProviderHost, fired: (cq: BlueCq) => void) {
    this.#host = host;
    this.#fired = fired;
  }

  /** A request of the send queue has ended. */
  sent(qp: BlueQp, request: SendRequest, status: number): void {
    const wc = new WorkCompletion();
    wc.wrId = request.wrId;
    wc.status = status;
    wc.opcode = request.wcOpcode;
    wc.byteLen = request.length;
    wc.isSend = true;
    wc.wqeIndex = request.number & (qp.sqSlots - 1);
    this.#add(qp.sendCq as BlueCq, qp, wc, status !== WC_STATUS.success);
  }

  /** A message has taken a receive. */
  received(qp: BlueQp, receive: Receive, message: ReceivedMessage): void {
    const wc = this.#receive(qp, receive, WC_STATUS.success);
    wc.opcode = message.kind === MESSAGE_KIND.writeImm ? WC_OPCODE.recvRdmaWithImm : WC_OPCODE.recv;
    wc.byteLen = message.total;
    wc.imm = message.withImm ? message.imm : 0;
    wc.flags = message.withImm ? WC_FLAG.withImm : 0;
    this.#add(qp.recvCq as BlueCq, qp, wc, message.solicited);
  }

  /** A frame of software has ended. @param number running number in its queue */
  frameSent(qp: BlueRawQp, wrId: number, number: number, status: number, bytes: number): void {
    const wc = new WorkCompletion();
    wc.isSend = true;
    wc.opcode = WC_OPCODE.send;
    wc.wqeIndex = number & (qp.sqSlots - 1);
    this.#addFrame(qp.sendCq as BlueCq, qp, wc, wrId, status, bytes);
  }

  /** A receive of a raw packet queue pair has ended. */
  frameReceived(qp: BlueRawQp, wrId: number, number: number, status: number, bytes: number): void {
    const wc = new WorkCompletion();
    wc.opcode = WC_OPCODE.recv;
    wc.wqeIndex = number & (qp.rqSlots - 1);
    this.#addFrame(qp.recvCq as BlueCq, qp, wc, wrId, status, bytes);
  }

  #addFrame(cq: BlueCq, qp: BlueRawQp, wc: WorkCompletion, wrId: number, status: number, bytes: number): void {
    wc.wrId = wrId;
    wc.status = status;
    wc.byteLen = bytes;
    this.#add(cq, qp, wc, status !== WC_STATUS.success);
  }

  /** A receive has ended without a message. */
  receiveFailed(qp: BlueQp, receive: Receive, status: number): void {
    const wc = this.#receive(qp, receive, status);
    wc.opcode = WC_OPCODE.recv;
    this.#add(qp.recvCq as BlueCq, qp, wc, true);
  }

  /** A queue pair hears of its peer for the first time before its software lets it send. */
  established(qp: BlueQp): void {
    if (qp.heard) return;
    qp.heard = true;
    if (qp.state === QP_STATE.rtr) this.#host.asyncEvent(ASYNC_EVENT.commEst, qp.qpn);
  }

  /** Takes the next completion and frees its request, and those before it. */
  poll(cq: BlueCq, wc: WorkCompletion, find: (qpn: number) => BlueQp | BlueRawQp | null): boolean {
    const found = cq.waiting.shift();
    if (found === undefined) return false;
    Object.assign(wc, found);
    cq.consumed++;
    const qp = find(found.qpn);
    if (qp !== null) retire(qp, found);
    return true;
  }

  /** Drops what a queue pair has in a queue. */
  clean(cq: BlueCq, qpn: number): void {
    const kept = cq.waiting.filter((wc) => wc.qpn !== qpn);
    cq.consumed += cq.waiting.length - kept.length;
    cq.waiting.splice(0, cq.waiting.length, ...kept);
  }

  #receive(qp: BlueQp, receive: Receive, status: number): WorkCompletion {
    const wc = new WorkCompletion();
    wc.wrId = receive.wrId;
    wc.status = status;
    wc.isSend = false;
    wc.wqeIndex = receive.number & (qp.rqSlots - 1);
    return wc;
  }

  #add(cq: BlueCq, qp: BlueQp | BlueRawQp, wc: WorkCompletion, solicited: boolean): void {
    wc.qpn = qp.qpn;
    wc.srcQp = qp.destQpn;
    if (cq.waiting.length >= cq.entries) {
      if (cq.lost++ === 0) this.#host.asyncEvent(ASYNC_EVENT.cqErr, cq.cqn);
      return;
    }
    cq.waiting.push(wc);
    cq.produced++;
    if (solicited) cq.lastSolicited = cq.produced;
    const { armed } = cq;
    this.#host.visible(cq, wc, true);
    if (armed !== 0 && (armed !== ARMED_SOLICITED || solicited)) this.#fired(cq);
  }
}

/** A completion frees its request, and with it those before it that had none. */
function retire(qp: BlueQp | BlueRawQp, wc: WorkCompletion): void {
  if (wc.isSend) qp.sqFreed += ((wc.wqeIndex - qp.sqFreed) & (qp.sqSlots - 1)) + 1;
  else qp.rqFreed += ((wc.wqeIndex - qp.rqFreed) & (qp.rqSlots - 1)) + 1;
  if (wc.status !== WC_STATUS.success && qp.state !== QP_STATE.reset) qp.noteError(wc.isSend);
}
