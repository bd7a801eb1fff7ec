/**
 * Checks every completion the moment it becomes visible: queue, order, fields, and the data it vouches for
 * (roce-transport.md 3.12, 5.2).
 */

import { CAUSE, type PossibleCause } from '../model/outcomes.ts';
import { type Message, NO_MESSAGE, type QueuePair, type WorkQueue } from '../model/work.ts';
import type { VisibleCompletion, WorkCompletion } from '../../agents/verbs/verbsItems.ts';
import { noteCutShort, noteReceived } from '../rules/droppedMessages.ts';
import { anyReceiveFails } from '../rules/failingReceives.ts';
import { QP_TYPE, SEND_FLAG, WC_OPCODE, WC_STATUS, WC_STATUS_NAME } from '../../rdma/verbs.ts';
import { reasonOf, refusesWrite, expectedStatus } from '../rules/badRequests.ts';
import { isBadReceive, meetsBadReceive, noteBadReceive, reachesClosed } from '../rules/badReceives.ts';
import { CompletionFields } from './completionFields.ts';
import { checkUndelivered } from '../rules/undelivered.ts';
import { giveUpReason, mayGiveUp } from '../rules/giveUps.ts';
import { CompletionMatch, MATCH } from './completionMatch.ts';
import { INTEREST, type Interest } from './cqEvents.ts';
import { noteFailure, owedReceives } from './flushes.ts';
import { qpName, requestName, shortRequestName } from '../model/names.ts';
import type { Naks } from '../rules/naks.ts';
import { OP_MESSAGE, operationKind } from '../model/operations.ts';
import type { OracleState } from '../model/oracleState.ts';
import { isAfterError, isNotFlushed, noteError, noteLeft } from '../rules/queueErrors.ts';
import type { FailedReads } from '../rules/pcie/failedReads.ts';
import type { Refusals } from '../rules/refusals.ts';
import type { ScbId } from '../report/reportIds.ts';
import { SCB } from '../report/reportIds.ts';
import type { Retirement } from './retirement.ts';
import { isShort, isTooLong, noteKnownShort, noteShort } from '../rules/shortReceives.ts';
import type { Transmissions } from './transmissions.ts';
import { counted } from '../../uvm/report/counted.ts';

/** States of a request that may end with an error. */

export class CompletionChecks {
  readonly #s: OracleState;
  /** By the oldest request of a queue: its place in the order of posting, and how many were overtaken at once. */
  readonly #overtaken = new Map<Message, { readonly order: number; readonly ahead: number }>();
  readonly #match: CompletionMatch;
  readonly #fields: CompletionFields;
  readonly #retirement: Retirement;
  readonly #transmissions: Transmissions;
  readonly #refusals: Refusals;
  readonly #naks: Naks;
  readonly #failedReads: FailedReads;

  constructor(
    state: OracleState,
    retirement: Retirement,
    transmissions: Transmissions,
    refusals: Refusals,
    naks: Naks,
    failedReads: FailedReads,
  ) {
    this.#s = state;
    this.#match = new CompletionMatch();
    this.#fields = new CompletionFields(state);
    this.#retirement = retirement;
    this.#transmissions = transmissions;
    this.#refusals = refusals;
    this.#naks = naks;
    this.#failedReads = failedReads;
  }

  /** A completion became visible in host memory. */
  check(item: VisibleCompletion): void {
    const s = this.#s;
    const wc = item.wc;
    s.checks++;
    const found = s.qps.find(item.host, wc.qpn);
    if (!found.exists) {
      this.#noQp(item);
      return;
    }
    const q = found;
    const send = wc.isSend === true;
    const cqn = send ? q.sendCqn : q.recvCqn;
    if (cqn !== item.cqn) this.#wrongCq(q, item, cqn);
    s.service += s.options.service.requestPs;
    const interest = send ? this.#send(q, wc) : this.#recv(q, wc);
    if (s.cqEvents.watching === true)
      s.cqEvents.completed(item.host, item.cqn, wc.status === WC_STATUS.success ? interest : INTEREST.solicited);
  }

  #send(pair: QueuePair, wc: WorkCompletion): Interest {
    const q = pair;
    const m = this.#match;
    m.find(q.sq, wc);
    if (m.match !== MATCH.oldest) this.#misfit(q, wc, q.sq);
    if (!m.request.exists) return INTEREST.none;
    const r = m.request;
    this.#done(q, q.sq, r);
    const ok = this.#status(q, r, wc);
    if (ok) this.#fields.send(q, r, wc);
    if (ok) {
      this.#transmissions.completed(q, r);
      this.#executed(q, r);
    }
    if (wc.status !== WC_STATUS.success) this.#transmissions.failed(q);
    if (m.match !== MATCH.later) this.#retireBefore(q, r);
    q.sq.unlink(r);
    this.#retirement.send(r, ok);
    if (q.sq.resuming) noteLeft(this.#s, q);
    return INTEREST.none;
  }

  /** A completion vouches for the unsignalled requests before its own. */
  #retireBefore(q: QueuePair, r: Message): void {
    for (;;) {
      const head = q.sq.head;
      if (head === r) return;
      q.sq.head = head.next;
      this.#retirement.send(head, true);
    }
  }

  /** @returns whether the message that filled the receive was solicited. */
  #recv(q: QueuePair, wc: WorkCompletion): Interest {
    const s = this.#s;
    const m = this.#match;
    m.find(q.rq, wc);
    if (m.match !== MATCH.oldest) this.#misfit(q, wc, q.rq);
    if (!m.request.exists) return INTEREST.open;
    const recv = m.request;
    if (owedReceives(q) > 0) s.outstanding--;
    this.#done(q, q.rq, recv);
    q.rq.unlink(recv);
    if (!this.#status(q, recv, wc)) {
      this.#retirement.failedRecv(recv);
      return INTEREST.open;
    }
    const message = this.#retirement.messageFor(q, recv, m.ahead, wc);
    if (!message.exists) {
      this.#noMessage(recv);
      return INTEREST.open;
    }
    noteReceived(s, q, message);
    if (q.listening) this.#received(q, message);
    const interest = interestOf(message);
    this.#fields.recv(q, recv, message, wc);
    this.#retirement.recv(recv, message);
    return interest;
  }

  /** The peer has executed a request that no completion tells it of, perhaps its first one in RTR. */
  #executed(q: QueuePair, r: Message): void {
    const { qps } = this.#s;
    const message = operationKind(r.opcode) & OP_MESSAGE;
    if (message !== 0 || q.type !== QP_TYPE.rc) return;
    const peer = qps.peerOf(q);
    if (peer.exists && peer.listening) this.#received(peer, r);
  }

  /** The first request to a queue pair in RTR: its software is owed an event. */
  #received(q: QueuePair, message: Message): void {
    const { events } = this.#s;
    q.receivedInRtr = true;
    events.received(q.host, q.qpn, shortRequestName(message));
  }

  #noMessage(recv: Message): void {
    this.#report(SCB.noMessage, () => `${requestName(recv)} completed although no message was on its way`);
    this.#retirement.failedRecv(recv);
  }

  #done(q: QueuePair, queue: WorkQueue, r: Message): void {
    queue.lastSlot = r.wqe;
    queue.lastWrId = r.wrId;
    queue.done++;
    q.stuck = false;
    this.#s.progress(q);
  }

  /** True for success, where that is right. Reports a status that is not the expected one, once per queue pair. */
  #status(q: QueuePair, r: Message, wc: WorkCompletion): boolean {
    const s = this.#s;
    const bad = r.outcomes.isBad;
    let expected: number = expectedStatus(r);
    if (wc.isSend !== true && mustHaveFailed(s, q, r, wc)) expected = WC_STATUS.locProtErr;
    const after = isAfterError(q, wc);
    const behind = isNotFlushed(q, wc);
    const stops = wc.isSend === true ? q.flushesSends : q.stops;
    const flushed = !after && wc.status === WC_STATUS.wrFlushErr && (stops || this.#willFail(q, wc));
    if (wc.status === WC_STATUS.locLenErr && !wc.isSend) noteShort(q, r);
    if (wc.status === WC_STATUS.locProtErr && !wc.isSend) noteBadReceive(q, r);
    if (wc.status === WC_STATUS.wrFlushErr && !wc.isSend && q.stops) checkUndelivered(s, q);
    if (wc.status !== WC_STATUS.success) {
      if (this.#failedReads.any) this.#failedReads.failed(q, r);
      if (noteError(s, q, r, wc)) {
        if (s.options.profile.knowsReceives === true) noteKnownShort(q, wc.isSend ? NO_MESSAGE : r);
        this.#retirement.abandonInbound(q);
      }
      if (!after && wc.isSend && wc.status === expected) this.#refused(q, r, wc.status);
      if (wc.status !== WC_STATUS.wrFlushErr) noteFailure(s, q, r, wc);
      if (wc.isSend && wc.status !== WC_STATUS.wrFlushErr) noteCutShort(s, r);
      if (!wc.isSend) this.#s.errorEvents.received(q.host, wc.qpn, wc.status);
    }
    if (behind) this.#wrongStatus(q, r, wc, WC_STATUS.wrFlushErr);
    else if (wc.status !== expected && !after && !flushed) {
      if (!this.#isPermitted(q, r, wc)) this.#wrongStatus(q, r, wc, expected);
      else if (wc.isSend && failedRemotely(r, wc.status)) this.#refused(q, r, wc.status);
    }
    return wc.status === WC_STATUS.success && !bad;
  }

  /**
   * The peer has refused a request, as was foretold: where it held no receive, it owes its software an event. One that
   * refuses in silence goes on as if nothing had come.
   */
  #refused(q: QueuePair, r: Message, status: number): void {
    const s = this.#s;
    if (s.options.profile.refusesInSilence === true) return;
    if (q.type !== QP_TYPE.rc || (operationKind(r.opcode) & OP_MESSAGE) !== 0) return;
    const host = q.remoteHost;
    s.events.refused(host, q.remoteQpn, status, shortRequestName(r));
  }

  /** Whether a status is among the outcomes of a request, with what only its completion asks for. */
  #isPermitted(q: QueuePair, r: Message, wc: WorkCompletion): boolean {
    const cause = wc.isSend ? this.#lateCause(q, r, wc.status) : lateCauseOfReceive(q, r, wc.status);
    if (cause !== undefined) r.outcomes.allow(cause);
    return r.outcomes.permits(wc.status);
  }

  /** What lets a send end with `status`, as far as that is asked when it does; undefined when nothing does. */
  #lateCause(q: QueuePair, r: Message, status: number): PossibleCause | undefined {
    const s = this.#s;
    if (this.#naks.isConsequence(r, status)) return CAUSE.refusedWrongly;
    switch (status) {
      case WC_STATUS.remOpErr:
        return meetsBadReceive(r) ? CAUSE.receiveMayFail : undefined;
      case WC_STATUS.rnrRetryExcErr:
        return this.#refusals.mayGiveUp(q, r, this.#s.options.wire.watches) ? CAUSE.rnrRetryExhausted : undefined;
      case WC_STATUS.retryExcErr:
        return mayGiveUp(s, q) ? CAUSE.retryExhausted : undefined;
      case WC_STATUS.locProtErr:
        if (s.deregisteredKeys.has(r)) return CAUSE.localKeyDeregistered;
        return r.outcomes.has(CAUSE.localKey) && r.outcomes.has(CAUSE.length) ? CAUSE.twoMistakes : undefined;
      case WC_STATUS.remInvReqErr:
        return isTooLong(r) ? CAUSE.receiveMayBeShort : undefined;
      default:
        return undefined;
    }
  }

  /** Whether a mistake that has not been reported yet takes a queue pair to the error state: its queues are flushed in any order. */
  #willFail(q: QueuePair, wc: WorkCompletion): boolean {
    if (anyReceiveFails(q)) return true;
    for (let r = q.sq.head; r.exists; r = r.next)
      if (meetsBadReceive(r) || r.outcomes.has(CAUSE.receiveKey)) return true;
    return wc.isSend !== true && this.#sendFails(q);
  }

  /**
   * Whether the send queue of an RC queue pair holds a request that will fail, or may give up. Nothing orders its
   * completion and those of the receives that are flushed then: they may be in different completion queues.
   */
  #sendFails(q: QueuePair): boolean {
    const s = this.#s;
    const head = q.sq.head;
    if (!head.exists || q.type !== QP_TYPE.rc) return false;
    for (let r = head; r.exists; r = r.next)
      if (r.outcomes.mayFail || isTooLong(r) || s.deregisteredKeys.has(r)) return true;
    return mayGiveUp(s, q) || this.#refusals.mayGiveUpAny(q, this.#s.options.wire.watches);
  }

  #wrongStatus(q: QueuePair, r: Message, wc: WorkCompletion, expected: number): void {
    this.#report(SCB.status, () => {
      const reason = reasonOf(r, expected);
      let why = reason === undefined ? '' : ` because ${reason}`;
      if (expected === WC_STATUS.wrFlushErr) why = ' because a request before it in its queue has failed';
      if (wc.status === WC_STATUS.rnrRetryExcErr) why += this.#refusals.reason(q, r);
      if (wc.isSend && wc.status === WC_STATUS.retryExcErr) why += giveUpReason(this.#s, q);
      const or = r.outcomes.alternatives.map((text) => `, or ${text}`).join('');
      const name = WC_STATUS_NAME[expected];
      return `${requestName(r)} completed with ${statusName(wc)}; expected ${name}${why}${or}`;
    });
  }

  #noQp(item: VisibleCompletion): void {
    const where = `host ${item.host} CQ ${item.cqn}`;
    this.#report(SCB.qpn, () => `${where}: completion for QP ${item.wc.qpn}, which does not exist or was reset`);
  }

  #misfit(q: QueuePair, wc: WorkCompletion, queue: WorkQueue): void {
    const m = this.#match;
    const what = (): string =>
      `${wc.isSend ? 'send' : 'receive'} completion (wrId ${wc.wrId}, WQE ${wc.wqeIndex}) on ${qpName(q)}`;
    const oldest = queue.head;
    const first = (): string =>
      `the oldest outstanding request is ${oldest.exists ? shortRequestName(oldest) : 'none'}`;
    switch (m.match) {
      case MATCH.oldest:
        break;
      case MATCH.later:
        if (!this.#isOvertakenAgain(oldest))
          this.#report(SCB.order, () => `${what()} overtakes ${counted(m.ahead, 'request')}; ${first()}`);
        break;
      case MATCH.unsignalled:
        this.#report(SCB.unsignalled, () => `${what()} is for ${shortRequestName(m.request)}, which asked for none`);
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
  #isOvertakenAgain(oldest: Message): boolean {
    const before = this.#overtaken.get(oldest);
    const { ahead } = this.#match;
    const order = oldest.order;
    if (before?.order === order && ahead <= before.ahead) return true;
    this.#overtaken.set(oldest, { order, ahead });
    return false;
  }

  #wrongCq(q: QueuePair, item: VisibleCompletion, expected: number): void {
    const side = item.wc.isSend ? 'send' : 'receive';
    this.#report(SCB.cq, () => `${side} completion of ${qpName(q)} arrived in CQ ${item.cqn}; its CQ is ${expected}`);
  }

  #report(id: ScbId, text: () => string): void {
    this.#s.reporter.error(id, text);
  }
}

/** What lets a receive end with `status`; undefined when nothing does. */
function lateCauseOfReceive(q: QueuePair, recv: Message, status: number): PossibleCause | undefined {
  switch (status) {
    case WC_STATUS.locProtErr:
      return isBadReceive(q, recv) ? CAUSE.entryKey : undefined;
    case WC_STATUS.locAccessErr:
      return refusesWrite(q) ? CAUSE.refusedWrite : undefined;
    case WC_STATUS.locLenErr:
      return isShort(q, recv) ? CAUSE.tooShort : undefined;
    default:
      return undefined;
  }
}

/** Whether a receive that completed with success had no key for what it says it holds. */
function mustHaveFailed(s: OracleState, q: QueuePair, recv: Message, wc: WorkCompletion): boolean {
  const scattered = wc.status === WC_STATUS.success && wc.opcode !== WC_OPCODE.recvRdmaWithImm;
  return scattered && reachesClosed(recv, wc.byteLen) && !s.deregisteredKeys.mayBeFilled(q, recv);
}

/** Whether a message is solicited. Which of those that may have vanished has come cannot be told. */
function interestOf(message: Message): Interest {
  if (message.mayVanish) return INTEREST.open;
  return (message.flags & SEND_FLAG.solicited) !== 0 ? INTEREST.solicited : INTEREST.none;
}

function statusName(wc: WorkCompletion): string {
  return `${WC_STATUS_NAME[wc.status] ?? `status ${wc.status}`} (vendor error ${wc.vendorErr})`;
}

/**
 * Whether the NIC of the peer could not read what a request asks for, and certainly holds no receive: of messages behind the
 * request it may hold one, which tells of it then (roce-transport.md 4.2).
 */
function failedRemotely(r: Message, status: number): boolean {
  if (status !== WC_STATUS.remOpErr || !r.outcomes.has(CAUSE.readFailedRemotely)) return false;
  for (let behind = r.next; behind.exists; behind = behind.next)
    if ((operationKind(behind.opcode) & OP_MESSAGE) !== 0) return false;
  return true;
}
