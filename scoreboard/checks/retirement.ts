/**
 * What follows from a completion: ranges close, data is judged, requests leave the tables; and what follows from
 * quiet, when plain WRITEs are judged.
 */

import {
  type Message,
  type QueuePair,
  NO_MESSAGE,
  type AnyRequest,
  type Receive,
  STAGE,
  NONE,
  UnattributedMessage,
} from '../model/work.ts';
import type { WorkCompletion } from '../../agents/verbs/verbsItems.ts';
import { GRH_BYTES } from '../../rdma/verbs.ts';
import type { DataJudge } from '../memory/dataJudge.ts';
import { TRANSFER } from '../memory/messageBuffers.ts';
import { requestName } from '../model/names.ts';
import { OP_ATOMIC, OP_MESSAGE, OP_READ, OP_WRITE, operationKind } from '../model/operations.ts';
import { CHECK_LEVEL } from '../model/options.ts';
import type { OracleState } from '../model/oracleState.ts';
import { giveUp, releaseIfDone, removeInbound } from '../model/queues.ts';
import { SCB } from '../report/reportIds.ts';
import { noteFailed } from '../rules/droppedMessages.ts';
import { noteSendLeft } from '../model/messageUnderWay.ts';
import { MessageMatch } from './messageMatch.ts';
import { PlainWrites } from '../memory/plainWrites.ts';
import { WriteOrder } from '../memory/ranges/writeOrder.ts';
import type { UdHeader } from './udHeader.ts';
import type { WriteGuard } from '../memory/ranges/writeGuard.ts';
import { theRequest } from '../report/subjects.ts';

export class Retirement {
  readonly #s: OracleState;
  readonly #guard: WriteGuard;
  readonly #judge: DataJudge;
  readonly #header: UdHeader;
  readonly #plainWrites: PlainWrites;
  readonly #order: WriteOrder;
  readonly #messages: MessageMatch;

  constructor(state: OracleState, guard: WriteGuard, judge: DataJudge, header: UdHeader) {
    this.#s = state;
    this.#guard = guard;
    this.#judge = judge;
    this.#header = header;
    this.#plainWrites = new PlainWrites(state, guard, judge);
    this.#order = new WriteOrder(state, this.#plainWrites, judge);
    this.#messages = new MessageMatch(state, judge, header, (q, r) => this.#dropped(q, r));
  }

  /** A send request completed, by its own completion or by a later one. It is out of its queue already. */
  send(r: Message, ok: boolean): void {
    const s = this.#s;
    noteSendLeft(r);
    r.outstanding = false;
    if (r.signalled) s.outstanding--;
    else s.unsignalled--;
    if (!ok) noteFailed(s, r);
    const kind = operationKind(r.opcode);
    if ((kind & (OP_READ | OP_ATOMIC)) !== 0) this.#fetched(r, kind, ok);
    else if ((kind & (OP_WRITE | OP_MESSAGE)) === OP_WRITE && ok) this.#plainWrites.completed(r);
    releaseIfDone(s, r);
  }

  /** A receive completed with the message `filling`. */
  recv(recv: Receive, filling: Message): void {
    const s = this.#s;
    const message = filling;
    const dest = recv.qp;
    this.#order.message(message);
    const write = (operationKind(message.opcode) & OP_WRITE) !== 0;
    // While the list is open it is known which pages its entries lie in.
    const skip = dest.headBytes;
    const right = write || this.#isSendRight(dest, recv, message, skip);
    this.closeLocal(recv, recv.holdsPartial, message);
    recv.queue.filled(recv, message);
    removeInbound(s, dest, message);
    if (write) this.#deliveredWrite(message);
    else if (!right) this.#judge.wrong(TRANSFER.message, message, recv, skip);
    recv.outstanding = false;
    s.requests.release(recv);
    releaseIfDone(s, message);
  }

  /** A receive completed without a message that could be judged. */
  failedRecv(recv: Receive): void {
    this.closeLocal(recv, true);
    recv.outstanding = false;
    this.#s.requests.release(recv);
  }

  /** A queue pair failed: no message is awaited there any more. */
  abandonInbound(q: QueuePair): void {
    const s = this.#s;
    for (let r = q.inbound.head; r.exists; r = r.link) giveUp(s, r);
  }

  /** The message that fills a receive, or `NO_MESSAGE`; see `MessageMatch.find`. */
  messageFor(q: QueuePair, recv: Receive, ahead: number, wc: WorkCompletion): Message {
    return this.#messages.find(q, recv, ahead, wc);
  }

  /** Nothing is in flight: judges plain WRITEs. */
  quiet(): void {
    this.#plainWrites.settle();
    if (this.#s.atomics.any) for (const block of this.#s.atomics.lingering()) this.#guard.closeBlock(block);
  }

  /** Closes the remote range of a request. */
  closeRemote(r: Message, forget: boolean): void {
    if (!r.remoteOpen) return;
    if (forget) this.#s.closedRanges.note(r.remoteBlock, r);
    this.#guard.closeRemote(r, forget);
    r.remoteBlock = NONE;
  }

  /** Closes the local list of a request. @param writer what may have written it, where that is known */
  closeLocal(r: AnyRequest, forget: boolean, writer: AnyRequest = forget ? r : NO_MESSAGE): void {
    if (!r.localOpen) return;
    if (writer.exists) this.#s.closedRanges.note(r.localBlock, writer);
    this.#guard.closeList(r, forget);
    r.localBlock = NONE;
  }

  /** READ or atomic: the answer is in the local list. */
  #fetched(r: Message, kind: number, ok: boolean): void {
    const read = (kind & OP_READ) !== 0;
    const responder = this.#s.qps.peerOf(r.qp);
    if (responder.exists && r.remoteSpace >= 0) this.#s.responderResources.doneWith(r, responder, ok);
    if (read || !this.#keepsWord(r)) this.closeRemote(r, true);
    this.closeLocal(r, !ok || !read, r);
    if (!read) this.#s.atomics.retired(r, ok);
    if (ok && read) this.#order.read(r);
    r.stage = STAGE.settled;
  }

  /** Whether the word of an atomic stays open until nothing is in flight. */
  #keepsWord(r: Message): boolean {
    if (!r.remoteOpen || !this.#s.atomics.keeps(r, r.remoteBlock)) return false;
    this.#s.closedRanges.note(r.remoteBlock, r);
    r.remoteBlock = NONE;
    return true;
  }

  #deliveredWrite(message: Message): void {
    if (message instanceof UnattributedMessage) return;
    this.#plainWrites.closeWritten(message);
    if (message.altered) this.#judge.mayBeLost(message);
    else this.#judge.judge(TRANSFER.write, message);
  }

  /** @param skip bytes in the buffer before the message */
  #isSendRight(dest: QueuePair, recv: Receive, message: Message, skip: number): boolean {
    if (skip > 0) this.#udHeader(dest, recv, message);
    if (message.length + skip > recv.length) return true;
    if (message.altered) {
      this.#judge.forgetHead(recv, message, message.length + skip);
      return true;
    }
    return this.#judge.isRight(TRANSFER.message, message, recv, skip);
  }

  #udHeader(dest: QueuePair, recv: Receive, message: Message): void {
    const s = this.#s;
    if (s.options.level < CHECK_LEVEL.memory) return;
    const from = message.qp.host;
    const to = dest.host;
    this.#header.load(recv);
    const problem = this.#header.problem(from, to) || this.#header.pathProblem(from, message);
    if (problem !== '' && this.#judge.headMeetsLost(recv, message, GRH_BYTES)) s.undecided++;
    else if (problem !== '') {
      s.reporter.error(SCB.udGrh, () => `${requestName(recv)}, first ${GRH_BYTES} bytes: ${problem}`, [
        theRequest(recv),
        theRequest(message),
      ]);
    }
    this.#judge.forgetHead(recv, message, GRH_BYTES);
  }

  /** A message was dropped on its way: what it was to write is open. */
  #dropped(q: QueuePair, r: Message): void {
    q.rq.giveBack(r);
    this.closeRemote(r, true);
    removeInbound(this.#s, q, r);
    releaseIfDone(this.#s, r);
  }
}
