/**
 * Checks every completion the moment it becomes visible: queue, order, fields, and the data it vouches for
 * (roce-transport.md 3.12, 5.2).
 */

import type { Subject } from '../../rdma/subject.ts';
import { CAUSE } from '../model/outcomes.ts';
import {
  type AnyRequest,
  Message,
  NO_MESSAGE,
  NO_RECEIVE,
  type QueuePair,
  type Receive,
  type WorkQueue,
} from '../model/work.ts';
import { type VisibleCompletion, WorkCompletion } from '../../agents/verbs/verbsItems.ts';
import { noteCutShort, noteReceived } from '../rules/droppedMessages.ts';
import { QP_TYPE, SEND_FLAG, WC_STATUS, WC_STATUS_NAME, WR_OPCODE } from '../../rdma/verbs.ts';
import { expectedStatus, reasonOf } from '../rules/badRequests.ts';
import { CompletionStatus } from '../rules/completionStatus.ts';
import { executedSends } from '../rules/unsignalledSends.ts';
import { noteBadReceive } from '../rules/badReceives.ts';
import { CompletionFields } from './completionFields.ts';
import { mustNotInvalidate } from '../rules/invalidations.ts';
import { isOutOfTurn } from '../rules/takenReceives.ts';
import { checkUndelivered } from '../rules/undelivered.ts';
import { CompletionMatch, MATCH } from './completionMatch.ts';
import { INTEREST, type Interest } from './cqEvents.ts';
import { noteFailure, owedReceives } from './flushes.ts';
import { qpName, requestName, shortRequestName } from '../model/names.ts';
import type { Naks } from '../rules/naks.ts';
import { isSilent, OP_KEY, OP_MESSAGE, operationKind } from '../model/operations.ts';
import type { OracleState } from '../model/oracleState.ts';
import { isAfterError, mustBeFlushed, noteError, noteLeft } from '../rules/queueErrors.ts';
import type { FailedReads } from '../rules/pcie/failedReads.ts';
import type { Refusals } from '../rules/refusals.ts';
import type { ScbId } from '../report/reportIds.ts';
import { SCB } from '../report/reportIds.ts';
import type { Retirement } from './retirement.ts';
import type { SharedQueues } from './sharedQueues.ts';
import { noteKnownShort, noteShort } from '../rules/shortReceives.ts';
import type { Transmissions } from './transmissions.ts';
import { counted } from '../../uvm/report/counted.ts';
import { aCompletionQueue, aLongNumber, aQueuePair } from '../../rdma/subjectParts.ts';
import { theQueuePair, theRequest } from '../report/subjects.ts';

export class CompletionChecks {
  readonly #s: OracleState;
  /** By the oldest request of a queue: its place in the order of posting, and how many were overtaken at once. */
  readonly #overtaken = new Map<AnyRequest, { readonly order: number; readonly ahead: number }>();
  readonly #sends = new CompletionMatch(NO_MESSAGE);
  readonly #receives = new CompletionMatch(NO_RECEIVE);
  readonly #fields: CompletionFields;
  readonly #retirement: Retirement;
  readonly #transmissions: Transmissions;
  readonly #statuses: CompletionStatus;
  readonly #naks: Naks;
  readonly #failedReads: FailedReads;
  readonly #shared: SharedQueues;

  constructor(
    state: OracleState,
    retirement: Retirement,
    transmissions: Transmissions,
    refusals: Refusals,
    naks: Naks,
    failedReads: FailedReads,
    shared: SharedQueues,
  ) {
    this.#s = state;
    this.#fields = new CompletionFields(state);
    this.#retirement = retirement;
    this.#transmissions = transmissions;
    this.#statuses = new CompletionStatus(state, refusals, naks);
    this.#naks = naks;
    this.#failedReads = failedReads;
    this.#shared = shared;
  }

  /** A completion became visible in host memory. */
  check(item: VisibleCompletion): void {
    const s = this.#s;
    const wc = item.wc;
    s.checks++;
    if (this.#naks.flushes.any) this.#naks.flushes.look();
    const found = s.qps.find(item.host, wc.qpn);
    if (!found.exists) {
      this.#noQp(item);
      return;
    }
    const q = found;
    const send = wc.isSend === true;
    const cqn = send ? q.sendCqn : q.recvCqn;
    if (cqn !== item.cqn) this.#wrongCq(q, item, cqn);
    if (s.cqOverflows.any === true) s.cqOverflows.completed(item.host, item.cqn);
    s.service += s.options.service.requestPs;
    const interest = send ? this.#send(q, wc) : this.#recv(q, wc);
    if (s.cqEvents.watching === true)
      s.cqEvents.completed(item.host, item.cqn, wc.status === WC_STATUS.success ? interest : INTEREST.solicited);
  }

  #send(pair: QueuePair, wc: WorkCompletion): Interest {
    const s = this.#s;
    const q = pair;
    const m = this.#sends;
    m.find(q.sq, wc, !mustBeFlushed(q, wc));
    if (m.match !== MATCH.oldest) this.#misfit(q, wc, m);
    if (!m.request.exists) return INTEREST.none;
    const r = m.request;
    if (m.match === MATCH.oldest && q.sq.head !== r) this.#impliedBefore(q, r);
    this.#done(q, q.sq, r);
    const ok = this.#status(q, r, wc);
    if (ok) this.#fields.send(q, r, wc);
    if (ok) {
      if (!isSilent(r.opcode)) this.#transmissions.completed(q, r);
      this.#executed(q, r);
    }
    const unsent = wc.status !== WC_STATUS.success || r.outcomes.has(CAUSE.lengthUntold);
    if (unsent && !isSilent(r.opcode)) this.#transmissions.failed(q);
    q.sq.unlink(r);
    if (s.mkeys.any) s.mkeys.ended(r, wc.status);
    this.#retirement.send(r, ok);
    if (q.sq.resuming) noteLeft(this.#s, q);
    return INTEREST.none;
  }

  /** Nothing is in flight: what asked for no completion and has been carried out is done. */
  quiet(): void {
    const s = this.#s;
    if (s.unsignalled === 0) return;
    for (const q of s.qps.all) {
      const { sq } = q;
      let done = executedSends(s, q);
      while (sq.head.exists && !sq.head.signalled) {
        // A change of a key is carried out as soon as it is its turn.
        if (isSilent(sq.head.opcode) ? sq.failed || q.isDraining || q.broken : done-- <= 0) break;
        this.#implied(q, sq.head);
      }
    }
  }

  /** A completion vouches for the requests before its own that asked for none. */
  #impliedBefore(q: QueuePair, r: Message): void {
    while (q.sq.head !== r) this.#implied(q, q.sq.head);
  }

  /** The oldest request of a queue, which asked for no completion, has succeeded: with an error it would have had one. */
  #implied(q: QueuePair, r: Message): void {
    const isBad = r.outcomes.isBad;
    if (!this.#statuses.permits(q, r, SUCCESS)) this.#silentFailure(r);
    if (!isSilent(r.opcode)) {
      q.sq.done++;
      if (r.outcomes.has(CAUSE.lengthUntold)) this.#transmissions.failed(q);
      else this.#transmissions.completed(q, r);
    }
    this.#executed(q, r);
    q.sq.unlink(r);
    if (this.#s.mkeys.any) this.#s.mkeys.ended(r, WC_STATUS.success);
    this.#retirement.send(r, !isBad);
  }

  #silentFailure(r: Message): void {
    const expected = expectedStatus(r);
    const reason = reasonOf(r, expected);
    this.#report(SCB.status, () => {
      const because = reason === undefined ? '' : ` because ${reason}`;
      const asked = `${requestName(r)} asked for no completion, and is to have one that says ${WC_STATUS_NAME[expected]}`;
      return `${asked}${because}; none has come, and what is behind it goes on`;
    }, [theRequest(r)]);
  }

  /** @returns whether the message that filled the receive was solicited. */
  #recv(q: QueuePair, wc: WorkCompletion): Interest {
    const s = this.#s;
    const m = this.#receives;
    m.find(q.rq, wc, false);
    const isInTurn = m.match === MATCH.later && q.rq.isShared && !isOutOfTurn(s, q, m.ahead);
    if (m.match !== MATCH.oldest && !isInTurn) this.#misfit(q, wc, m);
    if (!m.request.exists) return INTEREST.open;
    const recv = m.request;
    if (owedReceives(q) > 0) s.outstanding--;
    this.#done(q, q.rq, recv);
    recv.qp = q;
    q.rq.unlink(recv);
    if (!this.#status(q, recv, wc)) {
      q.rq.failed(recv, q);
      if (q.rq.isShared) this.#shared.completed(q, recv);
      this.#retirement.failedRecv(recv);
      return INTEREST.open;
    }
    const message = this.#retirement.messageFor(q, recv, m.ahead, wc);
    if (!message.exists) {
      this.#noMessage(recv);
      return INTEREST.open;
    }
    if (q.rq.isShared) this.#shared.completed(q, recv, message);
    if (s.mkeys.any) this.#taken(recv, message);
    noteReceived(s, q, message);
    if (q.listening) this.#received(q, message);
    const interest = interestOf(message);
    this.#fields.recv(q, recv, message, wc);
    this.#retirement.recv(recv, message);
    return interest;
  }

  /** A message has been received: what changes keys in front of it has done so, and what it was to invalidate is invalid. */
  #taken(recv: Receive, message: Message): void {
    const { mkeys } = this.#s;
    if (mustNotInvalidate(message)) {
      const why = reasonOf(message, expectedStatus(message));
      this.#report(
        SCB.status,
        () => `${requestName(recv)} completed with success, and its message invalidates what it may not: ${why}`,
        [theRequest(recv), theRequest(message)],
      );
    }
    mkeys.taken(message.qp, message.order);
    if (message.opcode === WR_OPCODE.sendWithInv) mkeys.ended(message, WC_STATUS.success);
  }

  /** The peer has executed a request that no completion tells it of, perhaps its first one in RTR. */
  #executed(q: QueuePair, r: Message): void {
    const { qps } = this.#s;
    const message = operationKind(r.opcode) & (OP_MESSAGE | OP_KEY);
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

  #noMessage(recv: Receive): void {
    this.#report(SCB.noMessage, () => `${requestName(recv)} completed although no message was in flight`, [
      theRequest(recv),
    ]);
    this.#retirement.failedRecv(recv);
  }

  #done(q: QueuePair, queue: WorkQueue<Message> | WorkQueue<Receive>, r: AnyRequest): void {
    queue.lastSlot = r.wqe;
    queue.lastWrId = r.wrId;
    if (!(r instanceof Message) || !isSilent(r.opcode)) queue.done++;
    q.stuck = false;
    this.#s.progress(q);
  }

  /** True for success, where that is right. Reports a status that is not among the outcomes of the request. */
  #status(q: QueuePair, r: AnyRequest, wc: WorkCompletion): boolean {
    const isBad = r.outcomes.isBad;
    const expected = this.#statuses.expected(q, r, wc);
    const isPermitted = this.#statuses.permits(q, r, wc);
    if (wc.status !== WC_STATUS.success) {
      if (r instanceof Message) this.#sendFailed(q, r, wc, expected);
      else this.#receiveFailed(q, r, wc);
    }
    if (!isPermitted) this.#wrongStatus(q, r, wc, expected);
    return wc.status === WC_STATUS.success && !isBad;
  }

  #sendFailed(q: QueuePair, r: Message, wc: WorkCompletion, expected: number): void {
    const { status } = wc;
    const isForetold = status === expected || failedRemotely(r, status);
    const isFirst = !isAfterError(q, wc);
    this.#failed(q, r, wc, NO_RECEIVE);
    if (isFirst && isForetold) this.#refused(q, r, status);
    if (status === WC_STATUS.wrFlushErr) return;
    noteFailure(this.#s, q, r, wc);
    noteCutShort(this.#s, r);
  }

  #receiveFailed(q: QueuePair, recv: Receive, wc: WorkCompletion): void {
    const s = this.#s;
    const { status } = wc;
    if (status === WC_STATUS.locLenErr) noteShort(q, recv);
    if (status === WC_STATUS.locProtErr) noteBadReceive(q, recv);
    if (status === WC_STATUS.wrFlushErr && q.stops) checkUndelivered(s, q);
    this.#failed(q, recv, wc, recv);
    if (status !== WC_STATUS.wrFlushErr) noteFailure(s, q, recv, wc);
    s.errorEvents.received(q.host, wc.qpn, status);
  }

  /** @param left receive that has just left its queue, or none */
  #failed(q: QueuePair, r: AnyRequest, wc: WorkCompletion, left: Receive): void {
    const s = this.#s;
    if (this.#failedReads.any) this.#failedReads.failed(q, r);
    if (!noteError(s, q, r, wc)) return;
    noteKnownShort(q, left, s.options.profiles);
    this.#retirement.abandonInbound(q);
  }

  /**
   * The peer has refused a request, as was foretold: where it held no receive, it owes its software an event. One that
   * refuses in silence goes on as if nothing had come.
   */
  #refused(q: QueuePair, r: Message, status: number): void {
    const s = this.#s;
    if (s.options.profiles.of(q.remoteHost).refusesInSilence === true) return;
    if (q.type !== QP_TYPE.rc || (operationKind(r.opcode) & OP_MESSAGE) !== 0) return;
    const host = q.remoteHost;
    s.events.refused(host, q.remoteQpn, status, shortRequestName(r));
  }

  #wrongStatus(q: QueuePair, r: AnyRequest, wc: WorkCompletion, expected: number): void {
    const text = (): string => {
      const reason = this.#statuses.reason(q, r, wc, expected);
      return `${requestName(r)} completed with ${statusName(wc)}; expected ${WC_STATUS_NAME[expected]}${reason}`;
    };
    const isFlushed = wc.status === WC_STATUS.wrFlushErr && expected === WC_STATUS.success;
    const { flushes } = this.#naks;
    if (isFlushed && flushes.mayBeExplained(q)) flushes.add(q, r, text());
    else this.#report(SCB.status, text, [theRequest(r)]);
  }

  #noQp(item: VisibleCompletion): void {
    const where = `host ${item.host} CQ ${item.cqn}`;
    this.#report(SCB.qpn, () => `${where}: completion for QP ${item.wc.qpn}, which does not exist or was reset`, [
      aQueuePair(item.host, item.wc.qpn),
      aCompletionQueue(item.host, item.cqn),
    ]);
  }

  #misfit(q: QueuePair, wc: WorkCompletion, m: CompletionMatch<Message> | CompletionMatch<Receive>): void {
    const what = (): string =>
      `${wc.isSend ? 'send' : 'receive'} completion (wrId ${wc.wrId}, WQE ${wc.wqeIndex}) on ${qpName(q)}`;
    const oldest = m.oldest;
    const about: Subject = [theQueuePair(q), ...[m.request, oldest].filter(({ exists }) => exists).map(theRequest)];
    const first = (): string =>
      `the oldest outstanding request is ${oldest.exists ? shortRequestName(oldest) : 'none'}`;
    switch (m.match) {
      case MATCH.oldest:
        break;
      case MATCH.later:
        if (!this.#isOvertakenAgain(oldest, m.ahead))
          this.#report(SCB.order, () => `${what()} overtakes ${counted(m.ahead, 'request')}; ${first()}`, about);
        break;
      case MATCH.unsignalled:
        this.#report(
          SCB.unsignalled,
          () => `${what()} is for ${shortRequestName(m.request)}, which asked for none`,
          about,
        );
        break;
      case MATCH.unknown:
        this.#report(SCB.wrId, () => `${what()} names no outstanding request; ${first()}`, [
          ...about,
          ...(oldest.exists ? [aLongNumber('request number', wc.wrId, oldest.wrId)] : []),
        ]);
        break;
      case MATCH.duplicate:
        this.#report(SCB.duplicate, () => `${what()} repeats the completion before it`, about);
        break;
      case MATCH.surplus:
        this.#report(SCB.surplus, () => `${what()} although nothing is outstanding there`, about);
        break;
    }
  }

  /** A completion that does not come is overtaken by all behind it: it is one finding until the next is missing, too. */
  #isOvertakenAgain(oldest: AnyRequest, ahead: number): boolean {
    const before = this.#overtaken.get(oldest);
    const order = oldest.order;
    if (before?.order === order && ahead <= before.ahead) return true;
    this.#overtaken.set(oldest, { order, ahead });
    return false;
  }

  #wrongCq(q: QueuePair, item: VisibleCompletion, expected: number): void {
    const side = item.wc.isSend ? 'send' : 'receive';
    this.#report(SCB.cq, () => `${side} completion of ${qpName(q)} arrived in CQ ${item.cqn}; its CQ is ${expected}`, [
      aCompletionQueue(item.host, item.cqn),
      theQueuePair(q),
    ]);
  }

  #report(id: ScbId, text: () => string, about: Subject): void {
    this.#s.reporter.error(id, text, about);
  }
}

/** What stands for the completion of a request that asked for none. */
const SUCCESS = Object.assign(new WorkCompletion(), { isSend: true, status: WC_STATUS.success });

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
