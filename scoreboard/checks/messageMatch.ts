/**
 * Which message fills a receive that has completed. On a reliable connection the order tells; messages of unreliable
 * services may have been dropped on their way, and then the completion and the data do (roce-transport.md 4.6, 7).
 */

import type { WorkCompletion } from '../../agents/verbs/verbsItems.ts';
import { QP_TYPE, WC_FLAG, WC_OPCODE } from '../../rdma/verbs.ts';
import type { DataJudge } from '../memory/dataJudge.ts';
import { TRANSFER } from '../memory/messageSides.ts';
import { mayHaveBegun } from '../model/messageUnderWay.ts';
import { OP_IMM, OP_WRITE, operationKind } from '../model/operations.ts';
import type { OracleState } from '../model/oracleState.ts';
import { NONE, Q_HOST, Q_IN_HEAD, Q_QPN, Q_TYPE } from '../model/qps.ts';
import { giveUp } from '../model/queues.ts';
import { OPCODE_MASK, R_IMM, R_LINK, R_QP, R_STATE, S_FAILED } from '../model/requests.ts';
import type { UdHeader } from './udHeader.ts';

export class MessageMatch {
  readonly #s: OracleState;
  readonly #judge: DataJudge;
  readonly #header: UdHeader;
  readonly #drop: (q: number, r: number) => void;

  /** @param drop takes message `r` to queue pair `q` out of the list, since a later one has come */
  constructor(state: OracleState, judge: DataJudge, header: UdHeader, drop: (q: number, r: number) => void) {
    this.#s = state;
    this.#judge = judge;
    this.#header = header;
    this.#drop = drop;
  }

  /**
   * The message that fills a receive, or `NONE`: on connected services the `ahead`-th of the inbound list, on UD the
   * first of the sender that the completion names. Messages that may have been dropped are passed over when they do
   * not fit.
   */
  find(q: number, recv: number, ahead: number, wc: WorkCompletion): number {
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

  /** The messages of a sender in their order, up to the first that is sure to arrive, or that has not been sent. */
  #candidates(first: number): readonly number[] {
    const s = this.#s;
    const m = s.requests.words;
    const found: number[] = [];
    for (let r = first; r !== NONE; r = m[r + R_LINK] as number) {
      if (m[r + R_QP] !== m[first + R_QP]) continue;
      if (found.length > 0 && !mayHaveBegun(s, r)) break;
      found.push(r);
      if (((m[r + R_STATE] as number) & S_FAILED) === 0) break;
    }
    return found;
  }

  #giveUpBefore(q: number, first: number, found: number): void {
    const m = this.#s.requests.words;
    const sender = m[first + R_QP] as number;
    for (let r = first; r !== found; ) {
      const next = m[r + R_LINK] as number;
      if (m[r + R_QP] === sender) this.#drop(q, r);
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

  /** About how many bytes of a message are where it belongs. */
  #rightBytes(q: number, recv: number, r: number): number {
    const s = this.#s;
    const kind = operationKind((s.requests.words[r + R_STATE] as number) & OPCODE_MASK);
    if ((kind & OP_WRITE) !== 0) return this.#judge.rightBytes(TRANSFER.write, r);
    return this.#judge.rightBytes(TRANSFER.message, r, recv, s.qps.headBytes(q));
  }
}
