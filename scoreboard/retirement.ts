/**
 * What follows from a completion: ranges close, data is judged, requests leave the tables; and what follows from
 * quiet, when unsignalled requests are done and plain WRITEs are judged.
 */

import type { WorkCompletion } from '../agents/verbs/verbsItems.ts';
import { GRH_BYTES, QP_TYPE, WC_FLAG, WC_OPCODE } from '../rdma/verbs.ts';
import type { DataJudge } from './dataJudge.ts';
import { TRANSFER } from './messageSides.ts';
import { requestName } from './names.ts';
import { OP_ATOMIC, OP_IMM, OP_MESSAGE, OP_READ, OP_WRITE, operationKind } from './operations.ts';
import { CHECK_LEVEL } from './options.ts';
import type { OracleState } from './oracleState.ts';
import { NONE, Q_HOST, Q_IN_HEAD, Q_QPN, Q_SQ_HEAD, Q_TYPE } from './qps.ts';
import { giveUp, releaseIfDone, removeInbound, unlink } from './queues.ts';
import { SCB } from './reportIds.ts';
import {
  OPCODE_MASK,
  R_IMM,
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
} from './requests.ts';
import { PlainWrites } from './plainWrites.ts';
import { WriteOrder } from './writeOrder.ts';
import type { UdHeader } from './udHeader.ts';
import type { WriteGuard } from './writeGuard.ts';
import { INDEX_BITS } from '../uvm/bytes/words.ts';

export class Retirement {
  readonly #s: OracleState;
  readonly #guard: WriteGuard;
  readonly #judge: DataJudge;
  readonly #header: UdHeader;
  readonly #plainWrites: PlainWrites;
  readonly #order: WriteOrder;

  constructor(state: OracleState, guard: WriteGuard, judge: DataJudge, header: UdHeader) {
    this.#s = state;
    this.#guard = guard;
    this.#judge = judge;
    this.#header = header;
    this.#plainWrites = new PlainWrites(state, guard, judge);
    this.#order = new WriteOrder(state, this.#plainWrites, judge);
  }

  /** A send request completed, by its own completion or by a later one. It is out of its queue already. */
  send(r: number, ok: boolean): void {
    const s = this.#s;
    const m = s.requests.words;
    const state = m[r + R_STATE] as number;
    m[r + R_STATE] = (state & ~S_COMP) | (ok ? 0 : S_FAILED);
    if ((state & S_SIGNALLED) !== 0) s.outstanding--;
    else s.unsignalled--;
    if (!ok) giveUp(s, r);
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

  /**
   * The message that fills a receive, or `NONE`: on connected services the `ahead`-th of the inbound list, on UD the
   * first of the sender that the completion names. Messages that may have been dropped are passed over when they do
   * not fit.
   */
  messageFor(q: number, recv: number, ahead: number, wc: WorkCompletion): number {
    const s = this.#s;
    const m = s.requests.words;
    const head = s.qps.words[q + Q_IN_HEAD] as number;
    if (head === NONE) return NONE;
    if (s.qps.words[q + Q_TYPE] === QP_TYPE.ud) return this.#datagram(q, recv, head, wc);
    if (((m[head + R_STATE] as number) & S_FAILED) !== 0) return this.#fitting(q, recv, head, wc);
    let r = head;
    for (let i = 0; i < ahead && r !== NONE; i++) r = m[r + R_LINK] as number;
    return r === NONE ? head : r;
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

  /** UD: first message of the named sender; with senders of that number on several hosts, the IP header decides; an unknown number counts as the oldest. */
  #datagram(q: number, recv: number, head: number, wc: WorkCompletion): number {
    const s = this.#s;
    const m = s.requests.words;
    let found: number = NONE;
    for (let r = head; r !== NONE; r = m[r + R_LINK] as number) {
      const sender = m[r + R_QP] as number;
      if (s.qps.words[sender + Q_QPN] !== wc.srcQp) continue;
      if (found === NONE) found = r;
      else if (s.qps.words[sender + Q_HOST] !== s.qps.words[(m[found + R_QP] as number) + Q_HOST]) {
        found = this.#byHeader(q, recv, found, wc);
        break;
      }
    }
    if (found === NONE) return head;
    if (((m[found + R_STATE] as number) & S_FAILED) === 0) return found;
    return this.#fitting(q, recv, found, wc);
  }

  #byHeader(q: number, recv: number, first: number, wc: WorkCompletion): number {
    const s = this.#s;
    const m = s.requests.words;
    const to = s.qps.words[q + Q_HOST] as number;
    if (!this.#header.load(recv)) return first;
    for (let r = first; r !== NONE; r = m[r + R_LINK] as number) {
      const sender = m[r + R_QP] as number;
      if (s.qps.words[sender + Q_QPN] !== wc.srcQp) continue;
      if (this.#header.names(s.qps.words[sender + Q_HOST] as number, to)) return r;
    }
    return first;
  }

  /**
   * Among messages that may have been dropped, up to the first that is sure to arrive, the first that fits, or, since
   * others may have written to the buffer meanwhile, of those that are like what the completion says the one that most of
   * the data come from; those of the same sender before it are given up.
   */
  #fitting(q: number, recv: number, first: number, wc: WorkCompletion): number {
    const alike = this.#candidates(first).filter((r) => this.#isAlike(q, r, wc));
    let found: number = NONE;
    let most = -1;
    for (const r of alike) {
      const right = this.#rightBytes(q, recv, r);
      if (right <= most) continue;
      found = r;
      most = right;
      if (most === this.#s.requests.length(r)) break;
    }
    if (found === NONE) return first;
    const all = this.#s.requests.length(found);
    // Of data that others have written to, a few bytes may be right by chance.
    const isIt = (r: number): boolean => most < all || this.#rightBytes(q, recv, r) === all;
    this.#doubtNext(found, (r) => this.#isAlike(q, r, wc) && isIt(r));
    this.#giveUpBefore(q, first, found);
    return found;
  }

  /** The messages of a sender in their order, up to the first that is sure to arrive. */
  #candidates(first: number): readonly number[] {
    const m = this.#s.requests.words;
    const found: number[] = [];
    for (let r = first; r !== NONE; r = m[r + R_LINK] as number) {
      if (m[r + R_QP] !== m[first + R_QP]) continue;
      found.push(r);
      if (((m[r + R_STATE] as number) & S_FAILED) === 0) break;
    }
    return found;
  }

  #giveUpBefore(q: number, first: number, found: number): void {
    const s = this.#s;
    const m = s.requests.words;
    const sender = m[first + R_QP] as number;
    for (let r = first; r !== found; ) {
      const next = m[r + R_LINK] as number;
      if (m[r + R_QP] === sender) {
        this.closeRemote(r, true);
        removeInbound(s, q, r);
        releaseIfDone(s, r);
      }
      r = next;
    }
  }

  /**
   * Message `found` may have been dropped all the same where the next one of its sender that is sure to arrive could be
   * the one as well: then it is not known any more whether that one is still to come.
   */
  #doubtNext(found: number, isIt: (r: number) => boolean): void {
    const m = this.#s.requests.words;
    if (((m[found + R_STATE] as number) & S_FAILED) === 0) return;
    for (let r = m[found + R_LINK] as number; r !== NONE; r = m[r + R_LINK] as number) {
      if (m[r + R_QP] !== m[found + R_QP] || ((m[r + R_STATE] as number) & S_FAILED) !== 0) continue;
      if (isIt(r)) giveUp(this.#s, r);
      return;
    }
  }

  /** Whether a message has the length, the operation and the immediate data that a completion tells. */
  #isAlike(q: number, r: number, wc: WorkCompletion): boolean {
    const s = this.#s;
    if (s.requests.length(r) + s.qps.headBytes(q) !== wc.byteLen) return false;
    const kind = operationKind((s.requests.words[r + R_STATE] as number) & OPCODE_MASK);
    if (((kind & OP_WRITE) !== 0) !== (wc.opcode === WC_OPCODE.recvRdmaWithImm)) return false;
    const hasImm = (kind & OP_IMM) !== 0;
    if (hasImm !== ((wc.flags & WC_FLAG.withImm) !== 0)) return false;
    return !hasImm || s.requests.words[r + R_IMM] === (wc.imm | 0);
  }

  /** How many bytes of a message are where it belongs, up to the first that is not. */
  #rightBytes(q: number, recv: number, r: number): number {
    const s = this.#s;
    const kind = operationKind((s.requests.words[r + R_STATE] as number) & OPCODE_MASK);
    if ((kind & OP_WRITE) !== 0) return this.#judge.rightBytes(TRANSFER.write, r);
    return this.#judge.rightBytes(TRANSFER.message, r, recv, s.qps.headBytes(q));
  }
}
