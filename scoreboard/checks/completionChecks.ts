/**
 * Checks every completion the moment it becomes visible: queue, order, fields, and the data it vouches for
 * (roce-transport.md 3.12, 5.2).
 */

import type { VisibleCompletion, WorkCompletion } from '../../agents/verbs/verbsItems.ts';
import { noteCutShort, noteReceived } from '../rules/droppedMessages.ts';
import { anyReceiveFails } from '../rules/failingReceives.ts';
import { QP_TYPE, SEND_FLAG, WC_OPCODE, WC_STATUS, WC_STATUS_NAME } from '../../rdma/verbs.ts';
import { reasonOf, refusesWrite, statusOfBad } from '../rules/badRequests.ts';
import { isBadReceive, meetsBadReceive, noteBadReceive, reachesClosed } from '../rules/badReceives.ts';
import { CompletionFields } from './completionFields.ts';
import { giveUpReason, mayGiveUp } from '../rules/giveUps.ts';
import { CompletionMatch, MATCH } from './completionMatch.ts';
import { INTEREST, type Interest } from './cqEvents.ts';
import { noteFailure, owedReceives } from './flushes.ts';
import { qpName, requestName, shortRequestName } from '../model/names.ts';
import type { Naks } from '../rules/naks.ts';
import { OP_MESSAGE, operationKind } from '../model/operations.ts';
import type { OracleState } from '../model/oracleState.ts';
import {
  NONE,
  Q_FLAGS,
  Q_RECV_CQN,
  Q_REMOTE_HOST,
  Q_REMOTE_QPN,
  Q_RQ_DONE,
  Q_RQ_HEAD,
  Q_RQ_LAST,
  Q_SEND_CQN,
  Q_SQ_DONE,
  Q_SQ_HEAD,
  Q_SQ_LAST,
  Q_TYPE,
  QF_RESUMES,
  QF_STOPS,
  QF_STUCK,
  QF_LISTENING,
  Q_HOST,
  Q_QPN,
} from '../model/qps.ts';
import { isAfterError, isNotFlushed, noteError, noteLeft } from '../rules/queueErrors.ts';
import { unlink } from '../model/queues.ts';
import type { Refusals } from '../rules/refusals.ts';
import type { ScbId } from '../report/reportIds.ts';
import { SCB } from '../report/reportIds.ts';
import {
  FLAGS_SHIFT,
  OPCODE_MASK,
  R_ID_HI,
  R_ID_LO,
  R_NEXT,
  R_STATE,
  R_WQE,
  S_BAD,
  S_BAD_LENGTH,
  S_BAD_LOCAL,
  S_BAD_RECEIVE,
  S_EITHER,
  S_FAILED,
  S_WITHDRAWN,
} from '../model/requests.ts';
import type { Retirement } from './retirement.ts';
import { isShort, isTooLong, noteShort } from '../rules/shortReceives.ts';
import type { Transmissions } from './transmissions.ts';
import { INDEX_BITS } from '../../uvm/bytes/words.ts';
import { counted } from '../../uvm/report/counted.ts';

/** States of a request that may end with an error. */
const MAY_FAIL = S_BAD | S_EITHER | S_WITHDRAWN;

export class CompletionChecks {
  readonly #s: OracleState;
  /** By the oldest request of a queue: its place in the order of posting, and how many were overtaken at once. */
  readonly #overtaken = new Map<number, { readonly order: number; readonly ahead: number }>();
  readonly #match: CompletionMatch;
  readonly #fields: CompletionFields;
  readonly #retirement: Retirement;
  readonly #transmissions: Transmissions;
  readonly #refusals: Refusals;
  readonly #naks: Naks;

  constructor(
    state: OracleState,
    retirement: Retirement,
    transmissions: Transmissions,
    refusals: Refusals,
    naks: Naks,
  ) {
    this.#s = state;
    this.#match = new CompletionMatch(state);
    this.#fields = new CompletionFields(state);
    this.#retirement = retirement;
    this.#transmissions = transmissions;
    this.#refusals = refusals;
    this.#naks = naks;
  }

  /** A completion became visible in host memory. */
  check(item: VisibleCompletion): void {
    const s = this.#s;
    const wc = item.wc;
    s.checks++;
    const found = s.qps.find(item.host, wc.qpn);
    if (found < 0) {
      this.#noQp(item);
      return;
    }
    const q = found & INDEX_BITS;
    const send = wc.isSend === true;
    const cqn = s.qps.words[q + (send ? Q_SEND_CQN : Q_RECV_CQN)] as number;
    if (cqn !== item.cqn) this.#wrongCq(q, item, cqn);
    s.service += s.options.service.requestPs;
    const interest = send ? this.#send(q, wc) : this.#recv(q, wc);
    if (s.cqEvents.watching === true)
      s.cqEvents.completed(item.host, item.cqn, wc.status === WC_STATUS.success ? interest : INTEREST.solicited);
  }

  #send(pair: number, wc: WorkCompletion): Interest {
    const q = pair & INDEX_BITS;
    const m = this.#match;
    m.find(q, Q_SQ_HEAD, Q_SQ_LAST, wc);
    if (m.match !== MATCH.oldest) this.#misfit(q, wc, Q_SQ_HEAD);
    if (m.request === NONE) return INTEREST.none;
    const r = m.request & INDEX_BITS;
    this.#done(q, r, Q_SQ_LAST, Q_SQ_DONE);
    const ok = this.#status(q, r, wc);
    if (ok) this.#fields.send(q, r, wc);
    if (ok) {
      this.#transmissions.completed(q, r);
      this.#executed(q, r);
    }
    if (wc.status !== WC_STATUS.success) this.#transmissions.failed(q);
    if (m.match !== MATCH.later) this.#retireBefore(q, r);
    unlink(this.#s, q, Q_SQ_HEAD, r);
    this.#retirement.send(r, ok);
    if (((this.#s.qps.words[q + Q_FLAGS] as number) & QF_RESUMES) !== 0) noteLeft(this.#s, q);
    return INTEREST.none;
  }

  /** A completion vouches for the unsignalled requests before its own. */
  #retireBefore(q: number, r: number): void {
    const s = this.#s;
    for (;;) {
      const head = s.qps.words[q + Q_SQ_HEAD] as number;
      if (head === r) return;
      s.qps.words[q + Q_SQ_HEAD] = s.requests.words[head + R_NEXT] as number;
      this.#retirement.send(head, true);
    }
  }

  /** @returns whether the message that filled the receive was solicited. */
  #recv(q: number, wc: WorkCompletion): Interest {
    const s = this.#s;
    const m = this.#match;
    m.find(q, Q_RQ_HEAD, Q_RQ_LAST, wc);
    if (m.match !== MATCH.oldest) this.#misfit(q, wc, Q_RQ_HEAD);
    if (m.request === NONE) return INTEREST.open;
    const recv = m.request & INDEX_BITS;
    if (owedReceives(s, q) > 0) s.outstanding--;
    this.#done(q, recv, Q_RQ_LAST, Q_RQ_DONE);
    unlink(this.#s, q, Q_RQ_HEAD, recv);
    if (!this.#status(q, recv, wc)) {
      this.#retirement.failedRecv(recv);
      return INTEREST.open;
    }
    const message = this.#retirement.messageFor(q, recv, m.ahead, wc);
    if (message === NONE) {
      this.#noMessage(recv);
      return INTEREST.open;
    }
    noteReceived(s, q, message & INDEX_BITS);
    if (((s.qps.words[q + Q_FLAGS] as number) & QF_LISTENING) !== 0) this.#received(q, message);
    const interest = interestOf(s.requests.words[(message & INDEX_BITS) + R_STATE] as number);
    this.#fields.recv(q, recv, message, wc);
    this.#retirement.recv(recv, message);
    return interest;
  }

  /** The peer has executed a request that no completion tells it of, perhaps its first one in RTR. */
  #executed(q: number, r: number): void {
    const { qps, requests } = this.#s;
    const w = qps.words;
    const message = operationKind((requests.words[r + R_STATE] as number) & OPCODE_MASK) & OP_MESSAGE;
    if (message !== 0 || w[q + Q_TYPE] !== QP_TYPE.rc) return;
    const peer = qps.peerOf(q);
    if (peer >= 0 && ((w[peer + Q_FLAGS] as number) & QF_LISTENING) !== 0) this.#received(peer, r);
  }

  /** The first request to a queue pair in RTR: its software is owed an event. */
  #received(q: number, message: number): void {
    const { qps, events } = this.#s;
    const w = qps.words;
    w[q + Q_FLAGS] = (w[q + Q_FLAGS] as number) & ~QF_LISTENING;
    events.received(w[q + Q_HOST] as number, w[q + Q_QPN] as number, shortRequestName(this.#s, message));
  }

  #noMessage(recv: number): void {
    this.#report(SCB.noMessage, () => `${requestName(this.#s, recv)} completed although no message was on its way`);
    this.#retirement.failedRecv(recv);
  }

  #done(pair: number, request: number, last: number, done: number): void {
    const s = this.#s;
    const q = pair & INDEX_BITS;
    const r = request & INDEX_BITS;
    const w = s.qps.words;
    const m = s.requests.words;
    w[q + last] = m[r + R_WQE] as number;
    w[q + last + 1] = m[r + R_ID_LO] as number;
    w[q + last + 2] = m[r + R_ID_HI] as number;
    w[q + done] = (w[q + done] as number) + 1;
    w[q + Q_FLAGS] = (w[q + Q_FLAGS] as number) & ~QF_STUCK;
    s.progress(q);
  }

  /** True for success, where that is right. Reports a status that is not the expected one, once per queue pair. */
  #status(q: number, r: number, wc: WorkCompletion): boolean {
    const s = this.#s;
    const state = s.requests.words[r + R_STATE] as number;
    const bad = (state & S_BAD) !== 0;
    let expected: number = bad ? statusOfBad(s.qps.words[q + Q_TYPE] as number, state) : WC_STATUS.success;
    if (wc.isSend !== true && mustHaveFailed(s, q, r, wc)) expected = WC_STATUS.locProtErr;
    const flags = s.qps.words[q + Q_FLAGS] as number;
    const after = isAfterError(flags, wc);
    const behind = isNotFlushed(flags, wc);
    const flushed = !after && wc.status === WC_STATUS.wrFlushErr && ((flags & QF_STOPS) !== 0 || this.#willFail(q, wc));
    if (wc.status === WC_STATUS.locLenErr && !wc.isSend) noteShort(s, q, r);
    if (wc.status === WC_STATUS.locProtErr && !wc.isSend) noteBadReceive(s, q, r);
    if (wc.status !== WC_STATUS.success) {
      if (noteError(s, q, r, wc)) this.#retirement.abandonInbound(q);
      if (!after && wc.isSend && wc.status === expected) this.#refused(q, r, wc.status);
      if (wc.status !== WC_STATUS.wrFlushErr) noteFailure(s, q, r, wc);
      if (wc.isSend && wc.status !== WC_STATUS.wrFlushErr) noteCutShort(s, r);
      if (!wc.isSend) this.#s.errorEvents.received(s.qps.words[q + Q_HOST] as number, wc.qpn, wc.status);
    }
    if (behind) this.#wrongStatus(q, r, wc, WC_STATUS.wrFlushErr);
    else if (wc.status !== expected && !after && !flushed && !this.#isRightful(q, r, wc))
      this.#wrongStatus(q, r, wc, expected);
    return wc.status === WC_STATUS.success && !bad;
  }

  /** The peer has refused a request, as was foretold: where it held no receive, it owes its software an event. */
  #refused(q: number, r: number, status: number): void {
    const s = this.#s;
    const w = s.qps.words;
    const state = s.requests.words[r + R_STATE] as number;
    if (w[q + Q_TYPE] !== QP_TYPE.rc || (operationKind(state & OPCODE_MASK) & OP_MESSAGE) !== 0) return;
    const host = w[q + Q_REMOTE_HOST] as number;
    s.events.refused(host, w[q + Q_REMOTE_QPN] as number, status, shortRequestName(s, r));
  }

  /** An error that the request alone does not call for, but what software did besides. */
  #isRightful(q: number, r: number, wc: WorkCompletion): boolean {
    if (!wc.isSend && wc.status === WC_STATUS.locProtErr) return isBadReceive(this.#s, q, r);
    if (!wc.isSend && wc.status === WC_STATUS.locAccessErr) return refusesWrite(this.#s, q);
    if (!wc.isSend) return wc.status === WC_STATUS.locLenErr && isShort(this.#s, q, r);
    if (this.#naks.isConsequence(r, wc.status)) return true;
    if (wc.status === WC_STATUS.remOpErr) return meetsBadReceive(this.#s, r);
    if (wc.status === WC_STATUS.rnrRetryExcErr) return this.#refusals.mayGiveUp(q, r, this.#transmissions.fed);
    if (wc.status === WC_STATUS.retryExcErr) return mayGiveUp(this.#s, q);
    const state = this.#s.requests.words[r + R_STATE] as number;
    if (wc.status === WC_STATUS.remAccessErr) return (state & S_WITHDRAWN) !== 0;
    if (wc.status === WC_STATUS.locProtErr && this.#s.withdrawnKeys.has(r)) return true;
    // Of two mistakes that the requester finds by itself, either may be reported.
    if (wc.status === WC_STATUS.locProtErr) return (state & S_BAD_LOCAL) !== 0 && (state & S_BAD_LENGTH) !== 0;
    return wc.status === WC_STATUS.remInvReqErr && ((state & S_EITHER) !== 0 || isTooLong(this.#s, r));
  }

  /** Whether a mistake that has not been reported yet takes a queue pair to the error state: its queues are flushed in any order. */
  #willFail(q: number, wc: WorkCompletion): boolean {
    const s = this.#s;
    if (anyReceiveFails(s, q)) return true;
    for (let r = s.qps.words[q + Q_SQ_HEAD] as number; r !== NONE; r = s.requests.words[r + R_NEXT] as number)
      if (meetsBadReceive(s, r) || ((s.requests.words[r + R_STATE] as number) & S_BAD_RECEIVE) !== 0) return true;
    return wc.isSend !== true && this.#sendFails(q);
  }

  /**
   * Whether the send queue of an RC queue pair holds a request that will fail, or may give up. Nothing orders its
   * completion and those of the receives that are flushed then: they may be in different completion queues.
   */
  #sendFails(q: number): boolean {
    const s = this.#s;
    const head = s.qps.words[q + Q_SQ_HEAD] as number;
    if (head === NONE || s.qps.words[q + Q_TYPE] !== QP_TYPE.rc) return false;
    for (let r = head; r !== NONE; r = s.requests.words[r + R_NEXT] as number)
      if (((s.requests.words[r + R_STATE] as number) & MAY_FAIL) !== 0 || isTooLong(s, r) || s.withdrawnKeys.has(r))
        return true;
    return mayGiveUp(s, q) || this.#refusals.mayGiveUpAny(q, this.#transmissions.fed);
  }

  #wrongStatus(q: number, r: number, wc: WorkCompletion, expected: number): void {
    this.#report(SCB.status, () => {
      const reason = reasonOf(this.#s, r, expected);
      let why = reason === undefined ? '' : ` because ${reason}`;
      if (expected === WC_STATUS.wrFlushErr) why = ' because a request before it in its queue has failed';
      if (wc.status === WC_STATUS.rnrRetryExcErr) why += this.#refusals.reason(q, r);
      if (wc.isSend && wc.status === WC_STATUS.retryExcErr) why += giveUpReason(this.#s, q);
      const name = WC_STATUS_NAME[expected];
      return `${requestName(this.#s, r)} completed with ${statusName(wc)}; expected ${name}${why}`;
    });
  }

  #noQp(item: VisibleCompletion): void {
    const where = `host ${item.host} CQ ${item.cqn}`;
    this.#report(SCB.qpn, () => `${where}: completion for QP ${item.wc.qpn}, which does not exist or was reset`);
  }

  #misfit(q: number, wc: WorkCompletion, head: number): void {
    const s = this.#s;
    const m = this.#match;
    const what = (): string =>
      `${wc.isSend ? 'send' : 'receive'} completion (wrId ${wc.wrId}, WQE ${wc.wqeIndex}) on ${qpName(s, q)}`;
    const oldest = s.qps.words[q + head] as number;
    const first = (): string =>
      `the oldest outstanding request is ${oldest === NONE ? 'none' : shortRequestName(s, oldest)}`;
    switch (m.match) {
      case MATCH.oldest:
        break;
      case MATCH.later:
        if (!this.#isOvertakenAgain(oldest))
          this.#report(SCB.order, () => `${what()} overtakes ${counted(m.ahead, 'request')}; ${first()}`);
        break;
      case MATCH.unsignalled:
        this.#report(SCB.unsignalled, () => `${what()} is for ${shortRequestName(s, m.request)}, which asked for none`);
        break;
      case MATCH.unknown:
        this.#report(SCB.wrId, () => `${what()} names no outstanding request; ${first()}`);
        break;
      case MATCH.duplicate:
        this.#report(SCB.duplicate, () => `${what()} repeats the completion before it`);
        break;
      case MATCH.surplus:
        this.#report(SCB.surplus, () => `${what()} although nothing is outstanding there`);
        break;
    }
  }

  /** A completion that does not come is overtaken by all behind it: it is one finding until the next is missing, too. */
  #isOvertakenAgain(oldest: number): boolean {
    const { requests } = this.#s;
    const before = this.#overtaken.get(oldest);
    const { ahead } = this.#match;
    const order = requests.orderOf(oldest);
    if (before?.order === order && ahead <= before.ahead) return true;
    this.#overtaken.set(oldest, { order, ahead });
    return false;
  }

  #wrongCq(q: number, item: VisibleCompletion, expected: number): void {
    const side = item.wc.isSend ? 'send' : 'receive';
    this.#report(
      SCB.cq,
      () => `${side} completion of ${qpName(this.#s, q)} arrived in CQ ${item.cqn}; its CQ is ${expected}`,
    );
  }

  #report(id: ScbId, text: () => string): void {
    this.#s.reporter.error(id, text);
  }
}

/** Whether a receive that completed with success had no key for what it says it holds. */
function mustHaveFailed(s: OracleState, q: number, recv: number, wc: WorkCompletion): boolean {
  const scattered = wc.status === WC_STATUS.success && wc.opcode !== WC_OPCODE.recvRdmaWithImm;
  return scattered && reachesClosed(s, recv, wc.byteLen) && !s.withdrawnKeys.mayBeFilled(q, recv);
}

/** Whether the message of this state is solicited. Which of those that may have vanished has come cannot be told. */
function interestOf(message: number): Interest {
  if ((message & S_FAILED) !== 0) return INTEREST.open;
  return ((message >> FLAGS_SHIFT) & SEND_FLAG.solicited) !== 0 ? INTEREST.solicited : INTEREST.none;
}

function statusName(wc: WorkCompletion): string {
  return `${WC_STATUS_NAME[wc.status] ?? `status ${wc.status}`} (vendor error ${wc.vendorErr})`;
}
