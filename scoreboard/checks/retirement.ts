/**
 * What follows from a completion: ranges close, data is judged, requests leave the tables; and what follows from
 * quiet, when unsignalled requests are done and plain WRITEs are judged.
 */

import type { WorkCompletion } from '../../agents/verbs/verbsItems.ts';
import { GRH_BYTES } from '../../rdma/verbs.ts';
import type { DataJudge } from '../memory/dataJudge.ts';
import { TRANSFER } from '../memory/messageSides.ts';
import { requestName } from '../model/names.ts';
import { OP_ATOMIC, OP_MESSAGE, OP_READ, OP_WRITE, operationKind } from '../model/operations.ts';
import { CHECK_LEVEL } from '../model/options.ts';
import type { OracleState } from '../model/oracleState.ts';
import { NONE, Q_HOST, Q_IN_HEAD, Q_SQ_HEAD } from '../model/qps.ts';
import { giveUp, releaseIfDone, removeInbound, unlink } from '../model/queues.ts';
import { SCB } from '../report/reportIds.ts';
import {
  OPCODE_MASK,
  R_LINK,
  R_LOCAL_BLOCK,
  R_REMOTE_BLOCK,
  R_QP,
  R_STATE,
  S_COMP,
  S_DATA,
  S_FAILED,
  S_GRANTED,
  S_HOLDS_MORE,
  S_REMOTE,
  S_SIGNALLED,
} from '../model/requests.ts';
import { noteFailed } from '../rules/droppedMessages.ts';
import { noteSendLeft } from '../model/messageUnderWay.ts';
import { MessageMatch } from './messageMatch.ts';
import { PlainWrites } from '../memory/plainWrites.ts';
import { WriteOrder } from '../memory/ranges/writeOrder.ts';
import type { UdHeader } from './udHeader.ts';
import type { WriteGuard } from '../memory/ranges/writeGuard.ts';
import { INDEX_BITS } from '../../uvm/bytes/words.ts';

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
  send(r: number, ok: boolean): void {
    const s = this.#s;
    const m = s.requests.words;
    noteSendLeft(s, r);
    const state = m[r + R_STATE] as number;
    m[r + R_STATE] = (state & ~S_COMP) | (ok ? 0 : S_FAILED);
    if ((state & S_SIGNALLED) !== 0) s.outstanding--;
    else s.unsignalled--;
    if (!ok) noteFailed(s, r);
    const kind = operationKind(state & OPCODE_MASK);
    if ((kind & (OP_READ | OP_ATOMIC)) !== 0) this.#fetched(r, kind, ok);
    else if ((kind & (OP_WRITE | OP_MESSAGE)) === OP_WRITE && ok) this.#plainWrites.completed(r);
    releaseIfDone(s, r);
  }

  /** A receive completed with the message `filling`. */
  recv(recv: number, filling: number): void {
    const s = this.#s;
    const m = s.requests.words;
    const message = filling & INDEX_BITS;
    const dest = (m[recv + R_QP] as number) & INDEX_BITS;
    this.#order.message(message);
    const write = (operationKind((m[message + R_STATE] as number) & OPCODE_MASK) & OP_WRITE) !== 0;
    // While the list is open it is known which pages its entries lie in.
    const skip = s.qps.headBytes(dest);
    const right = write || this.#isSendRight(dest, recv, message, skip);
    this.closeLocal(recv, ((m[recv + R_STATE] as number) & S_HOLDS_MORE) !== 0, message);
    removeInbound(s, dest, message);
    if (write) this.#deliveredWrite(message);
    else if (!right) this.#judge.wrong(TRANSFER.message, message, recv, skip);
    m[recv + R_STATE] = (m[recv + R_STATE] as number) & ~S_COMP;
    s.requests.release(recv);
    releaseIfDone(s, message);
  }

  /** A receive completed without a message that could be judged. */
  failedRecv(recv: number): void {
    const m = this.#s.requests.words;
    this.closeLocal(recv, true);
    m[recv + R_STATE] = (m[recv + R_STATE] as number) & ~S_COMP;
    this.#s.requests.release(recv);
  }

  /** A queue pair failed: no message is awaited there any more. */
  abandonInbound(q: number): void {
    const s = this.#s;
    for (let r = s.qps.words[q + Q_IN_HEAD] as number; r !== NONE; r = s.requests.words[r + R_LINK] as number)
      giveUp(s, r);
  }

  /** The message that fills a receive, or `NONE`; see `MessageMatch.find`. */
  messageFor(q: number, recv: number, ahead: number, wc: WorkCompletion): number {
    return this.#messages.find(q, recv, ahead, wc);
  }

  /** Nothing is in flight: judges plain WRITEs and retires unsignalled requests at the head of their queues. */
  quiet(): void {
    if (this.#s.unsignalled > 0) this.#retireUnsignalled();
    this.#plainWrites.settle();
  }

  /** Closes the remote range of a request. */
  closeRemote(r: number, forget: boolean): void {
    const m = this.#s.requests.words;
    const state = m[r + R_STATE] as number;
    if ((state & S_REMOTE) === 0) return;
    m[r + R_STATE] = state & ~S_REMOTE;
    if (forget) this.#s.closedRanges.note(m[r + R_REMOTE_BLOCK] as number, r);
    this.#guard.closeRemote(r, forget);
  }

  /** Closes the local list of a request. @param writer what may have written it, where that is known */
  closeLocal(r: number, forget: boolean, writer: number = forget ? r : NONE): void {
    const m = this.#s.requests.words;
    const state = m[r + R_STATE] as number;
    if ((state & S_GRANTED) === 0) return;
    m[r + R_STATE] = state & ~S_GRANTED;
    if (writer !== NONE) this.#s.closedRanges.note(m[r + R_LOCAL_BLOCK] as number, writer);
    this.#guard.closeList(r, forget);
  }

  /** Nothing is in flight, so what stands at the head of a queue without asking for a completion is done. */
  #retireUnsignalled(): void {
    const s = this.#s;
    for (let i = 0; i < s.qps.count; i++) {
      const q = s.qps.at(i);
      // What waits in SQD is not done.
      if (s.held.size > 0 && s.held.has(q)) continue;
      for (;;) {
        const r = s.qps.words[q + Q_SQ_HEAD] as number;
        if (r === NONE || ((s.requests.words[r + R_STATE] as number) & S_SIGNALLED) !== 0) break;
        unlink(s, q, Q_SQ_HEAD, r);
        this.send(r, true);
      }
    }
  }

  /** READ or atomic: the answer is in the local list. */
  #fetched(r: number, kind: number, ok: boolean): void {
    const m = this.#s.requests.words;
    const read = (kind & OP_READ) !== 0;
    this.closeRemote(r, true);
    this.closeLocal(r, !ok || !read, r);
    if (ok && read) this.#order.read(r);
    m[r + R_STATE] = (m[r + R_STATE] as number) & ~S_DATA;
  }

  #deliveredWrite(message: number): void {
    this.#plainWrites.closeWritten(message);
    this.#judge.judge(TRANSFER.write, message);
  }

  /** @param skip bytes in the buffer before the message */
  #isSendRight(dest: number, recv: number, message: number, skip: number): boolean {
    const { requests } = this.#s;
    if (skip > 0) this.#udHeader(dest, recv, message);
    if (requests.length(message) + skip > requests.length(recv)) return true;
    return this.#judge.isRight(TRANSFER.message, message, recv, skip);
  }

  #udHeader(dest: number, recv: number, message: number): void {
    const s = this.#s;
    if (s.options.level < CHECK_LEVEL.memory) return;
    const from = s.qps.words[(s.requests.words[message + R_QP] as number) + Q_HOST] as number;
    const to = s.qps.words[dest + Q_HOST] as number;
    this.#header.load(recv);
    const problem = this.#header.problem(from, to) || this.#header.pathProblem(from, message);
    if (problem !== '') {
      s.reporter.error(SCB.udGrh, () => `${requestName(s, recv)}, first ${GRH_BYTES} bytes: ${problem}`);
    }
    this.#judge.forgetHead(recv, message, GRH_BYTES);
  }

  /** A message was dropped on its way: what it was to write is open. */
  #dropped(q: number, r: number): void {
    this.closeRemote(r, true);
    removeInbound(this.#s, q, r);
    releaseIfDone(this.#s, r);
  }
}
