/**
 * Which message fills a receive that has completed. On a reliable connection the order tells; messages of unreliable
 * services may have been dropped on their way, and then the completion and the data do (roce-transport.md 4.6, 7).
 */

import { type Message, type QueuePair, NO_MESSAGE, type Receive, STAGE } from '../model/work.ts';
import type { WorkCompletion } from '../../agents/verbs/verbsItems.ts';
import { QP_TYPE, WC_FLAG, WC_OPCODE } from '../../rdma/verbs.ts';
import type { DataJudge } from '../memory/dataJudge.ts';
import { TRANSFER } from '../memory/messageBuffers.ts';
import { mayHaveBegun } from '../model/messageUnderWay.ts';
import { OP_IMM, OP_WRITE, operationKind } from '../model/operations.ts';
import type { OracleState } from '../model/oracleState.ts';
import { giveUp } from '../model/queues.ts';
import { takerOf } from '../rules/takenReceives.ts';
import { reportPassedOver } from '../rules/undelivered.ts';
import type { UdHeader } from './udHeader.ts';

/** So many messages in a row may have been dropped for the next one to be recognised. */
const MOST_DROPPED = 16;
/** So many bytes are not right by chance. */
const FEWEST_BYTES = 4;

export class MessageMatch {
  readonly #s: OracleState;
  readonly #judge: DataJudge;
  readonly #header: UdHeader;
  readonly #drop: (q: QueuePair, r: Message) => void;

  /** @param drop takes message `r` to queue pair `q` out of the list, since a later one has come */
  constructor(state: OracleState, judge: DataJudge, header: UdHeader, drop: (q: QueuePair, r: Message) => void) {
    this.#s = state;
    this.#judge = judge;
    this.#header = header;
    this.#drop = drop;
  }

  /**
   * The message that fills a receive, or `NO_MESSAGE`: the one for which its responder has taken it, as far as that has been
   * seen, or on connected services, where they come in order, the `ahead`-th of the inbound list; on UD the
   * first of the sender that the completion names. Messages that may have been dropped are passed over when they do
   * not fit.
   */
  find(q: QueuePair, recv: Receive, ahead: number, wc: WorkCompletion): Message {
    const head = q.inbound.head;
    if (!head.exists) return NO_MESSAGE;
    const taker = takerOf(q, recv);
    if (taker.exists) return taker;
    if (q.type === QP_TYPE.ud) return this.#datagram(q, recv, head, wc);
    if (head.mayVanish) return this.#fitting(q, recv, head, wc);
    let r = head;
    // Of a shared queue others have what is in front.
    const before = q.rq.isShared ? 0 : ahead;
    for (let i = 0; i < before && r.exists; i++) r = r.link;
    return this.#inTurn(q, recv, !r.exists ? head : r, wc);
  }

  /**
   * Message `first` of an unreliable service, whose turn it is; or one behind it of its sender, where the receiver has dropped
   * those between: the completion tells of that one, all its data are in the receive, and those of `first` are not.
   */
  #inTurn(q: QueuePair, recv: Receive, first: Message, wc: WorkCompletion): Message {
    if (q.type === QP_TYPE.rc || !first.awaited) return first;
    const later = this.#laterAlike(q, first, wc);
    if (later.length === 0 || this.#isThere(q, recv, first, wc)) return first;
    const found = later.find((r) => this.#rightBytes(q, recv, r) === r.length);
    if (found === undefined) return first;
    for (let r = first; r !== found; r = r.link)
      if (r.awaited && isSameSender(r.qp, first.qp)) reportPassedOver(this.#s, q, r, found, recv);
    this.#giveUpBefore(q, first, found);
    return found;
  }

  /** Those behind message `first` that its sender has sent, and that a completion may tell of by itself. */
  #laterAlike(q: QueuePair, first: Message, wc: WorkCompletion): readonly Message[] {
    const found: Message[] = [];
    let r = first.link;
    for (let i = 0; i < MOST_DROPPED && r.exists; i++, r = r.link) {
      const tells = r.length >= FEWEST_BYTES || (operationKind(r.opcode) & OP_IMM) !== 0;
      if (tells && r.stage === STAGE.arrived && isSameSender(r.qp, first.qp) && this.#isAlike(q, r, wc)) found.push(r);
    }
    return found;
  }

  /** Whether a receive holds message `r`, perhaps with a completion that tells of it wrongly. */
  #isThere(q: QueuePair, recv: Receive, r: Message, wc: WorkCompletion): boolean {
    const isWrite = (operationKind(r.opcode) & OP_WRITE) !== 0;
    // A WRITE may be where it belongs although its receive is not taken.
    if (!this.#isAlike(q, r, wc) && (isWrite || r.length === 0)) return false;
    return this.#rightBytes(q, recv, r) === r.length;
  }

  /** UD: first message of the named sender; with senders of that number on several hosts, the IP header decides; an unknown number counts as the oldest. */
  #datagram(q: QueuePair, recv: Receive, head: Message, wc: WorkCompletion): Message {
    let found: Message = NO_MESSAGE;
    for (let r = head; r.exists; r = r.link) {
      const sender = r.qp;
      if (sender.qpn !== wc.srcQp) continue;
      if (!found.exists) found = r;
      else if (sender.host !== found.qp.host) {
        found = this.#byHeader(q, recv, found, wc);
        break;
      }
    }
    if (!found.exists) return head;
    if (!found.mayVanish) return this.#inTurn(q, recv, found, wc);
    return this.#fitting(q, recv, found, wc);
  }

  #byHeader(q: QueuePair, recv: Receive, first: Message, wc: WorkCompletion): Message {
    const to = q.host;
    if (!this.#header.load(recv)) return first;
    for (let r = first; r.exists; r = r.link) {
      const sender = r.qp;
      if (sender.qpn !== wc.srcQp) continue;
      if (this.#header.names(sender.host, to)) return r;
    }
    return first;
  }

  /**
   * Among messages that may have been dropped, up to the first that is sure to arrive, the first that fits, or, since
   * others may have written to the buffer meanwhile, of those that are like what the completion says the one that most of
   * the data come from; those of the same sender before it are given up.
   */
  #fitting(q: QueuePair, recv: Receive, first: Message, wc: WorkCompletion): Message {
    const alike = this.#candidates(first).filter((r) => this.#isAlike(q, r, wc));
    let found: Message = NO_MESSAGE;
    let most = -1;
    for (const r of alike) {
      const right = this.#rightBytes(q, recv, r);
      if (right <= most) continue;
      found = r;
      most = right;
      if (most === r.length) break;
    }
    if (!found.exists) return first;
    const all = found.length;
    // Of data that others have written to, a few bytes may be right by chance.
    const isIt = (r: Message): boolean => found.altered || most < all || this.#rightBytes(q, recv, r) === all;
    this.#mayBeMissingNext(found, (r) => this.#isAlike(q, r, wc) && isIt(r));
    this.#giveUpBefore(q, first, found);
    return found;
  }

  /** The messages of a sender in their order, up to the first that is sure to arrive, or that has not been sent. */
  #candidates(first: Message): readonly Message[] {
    const s = this.#s;
    const found: Message[] = [];
    for (let r = first; r.exists; r = r.link) {
      if (!isSameSender(r.qp, first.qp)) continue;
      if (found.length > 0 && !mayHaveBegun(s, r)) break;
      found.push(r);
      if (!r.mayVanish) break;
    }
    return found;
  }

  #giveUpBefore(q: QueuePair, first: Message, found: Message): void {
    const sender = first.qp;
    for (let r = first; r !== found; ) {
      const next = r.link;
      if (isSameSender(r.qp, sender)) this.#drop(q, r);
      r = next;
    }
  }

  /**
   * Message `found` may have been dropped all the same where the next one of its sender that is sure to arrive could be
   * the one as well: then it is not known any more whether that one is still to come.
   */
  #mayBeMissingNext(found: Message, isIt: (r: Message) => boolean): void {
    if (!found.mayVanish) return;
    for (let r = found.link; r.exists; r = r.link) {
      if (!isSameSender(r.qp, found.qp) || r.mayVanish) continue;
      if (isIt(r)) giveUp(this.#s, r);
      return;
    }
  }

  /** Whether a message has the length, the operation and the immediate data that a completion tells. */
  #isAlike(q: QueuePair, r: Message, wc: WorkCompletion): boolean {
    if (r.length + q.headBytes !== wc.byteLen) return false;
    const kind = operationKind(r.opcode);
    if (((kind & OP_WRITE) !== 0) !== (wc.opcode === WC_OPCODE.recvRdmaWithImm)) return false;
    const hasImm = (kind & OP_IMM) !== 0;
    if (hasImm !== ((wc.flags & WC_FLAG.withImm) !== 0)) return false;
    return !hasImm || r.imm === (wc.imm | 0);
  }

  /** About how many bytes of a message are where it belongs; data that were changed on the way, or are not known, all may be. */
  #rightBytes(q: QueuePair, recv: Receive, r: Message): number {
    if (r.altered) return r.length;
    const kind = operationKind(r.opcode);
    if ((kind & OP_WRITE) !== 0) return this.#judge.rightBytes(TRANSFER.write, r);
    return this.#judge.rightBytes(TRANSFER.message, r, recv, q.headBytes);
  }
}

/** Whether two are the same queue pair, also in different lives: what was sent in an earlier one may wait in front of a receive. */
function isSameSender(a: QueuePair, b: QueuePair): boolean {
  return a === b || (a.qpn === b.qpn && a.host === b.host);
}
