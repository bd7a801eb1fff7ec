/**
 * What a request may complete with, at the moment at which it does: the status that it is expected to have, those of its
 * outcomes, and being flushed where its queue pair goes to the error state (roce-transport.md 4.5, 5.3, 6.3).
 */

import { QP_TYPE, WC_OPCODE, WC_STATUS } from '../../rdma/verbs.ts';
import type { WorkCompletion } from '../../agents/verbs/verbsItems.ts';
import type { OracleState } from '../model/oracleState.ts';
import { CAUSE, type PossibleCause } from '../model/outcomes.ts';
import { WIDENING, type Widening } from '../model/widenings.ts';
import { type AnyRequest, Message, type QueuePair, type Receive } from '../model/work.ts';
import { isBadReceive, meetsBadReceive, reachesClosed } from './badReceives.ts';
import { expectedStatus, reasonOf, refusesWrite } from './badRequests.ts';
import { anyReceiveFails } from './failingReceives.ts';
import { anySendFails } from './failingSends.ts';
import { giveUpReason, mayGiveUp } from './giveUps.ts';
import { endsInvalidation } from './invalidations.ts';
import type { Naks } from './naks.ts';
import { isAfterError, mustBeFlushed } from './queueErrors.ts';
import type { Refusals } from './refusals.ts';
import { isShort, isTooLong } from './shortReceives.ts';

export class CompletionStatus {
  readonly #s: OracleState;
  readonly #refusals: Refusals;
  readonly #naks: Naks;

  constructor(state: OracleState, refusals: Refusals, naks: Naks) {
    this.#s = state;
    this.#refusals = refusals;
    this.#naks = naks;
  }

  /** The status that request `r` of queue pair `q`, which has just left its queue with `wc`, is to have. */
  expected(q: QueuePair, r: AnyRequest, wc: WorkCompletion): number {
    if (mustBeFlushed(q, wc)) return WC_STATUS.wrFlushErr;
    if (r instanceof Message) return expectedStatus(r);
    return mustHaveFailed(this.#s, q, r, wc) ? WC_STATUS.locProtErr : WC_STATUS.success;
  }

  /** Whether it may have the status that it has. */
  permits(q: QueuePair, r: AnyRequest, wc: WorkCompletion): boolean {
    const { status } = wc;
    if (status === this.expected(q, r, wc)) return true;
    // Behind a request that has failed there are flushed ones only.
    if (mustBeFlushed(q, wc)) return false;
    const widening = this.#widening(q, r, wc);
    return widening !== undefined && this.#s.widenings.permits(widening);
  }

  /** What lets it end otherwise than expected; undefined = nothing does. */
  #widening(q: QueuePair, r: AnyRequest, wc: WorkCompletion): Widening | PossibleCause | undefined {
    const { status } = wc;
    if (isAfterError(q, wc)) return WIDENING.afterError;
    if (status === WC_STATUS.wrFlushErr && this.#mayBeFlushed(q, wc)) return WIDENING.mayBeFlushed;
    const cause = r instanceof Message ? this.#lateCause(q, r, status) : lateCauseOfReceive(q, r, status);
    if (cause !== undefined) r.outcomes.allow(cause);
    return r.outcomes.permits(status);
  }

  /** Why it was expected to end otherwise, and why it may not end so; begins with a space, a colon or a comma, or is ''. */
  reason(q: QueuePair, r: AnyRequest, wc: WorkCompletion, expected: number): string {
    const reason = r instanceof Message ? reasonOf(r, expected) : r.outcomes.textOf(CAUSE.entryKey);
    let why = reason === undefined ? '' : ` because ${reason}`;
    if (expected === WC_STATUS.wrFlushErr) why = ' because a request before it in its queue has failed';
    if (r instanceof Message) {
      if (wc.status === WC_STATUS.rnrRetryExcErr) why += this.#refusals.reason(q, r);
      if (wc.status === WC_STATUS.retryExcErr) why += giveUpReason(this.#s, q);
    }
    return why + r.outcomes.alternatives.map((text) => `, or ${text}`).join('');
  }

  /** Whether the queue pair goes to the error state by software, or for an error that has not been seen yet. */
  #mayBeFlushed(q: QueuePair, wc: WorkCompletion): boolean {
    return (wc.isSend ? q.flushesSends : q.stops) || this.#willFail(q, wc);
  }

  /** What lets a send end with `status`, as far as that is asked when it does; undefined when nothing does. */
  #lateCause(q: QueuePair, r: Message, status: number): PossibleCause | undefined {
    const s = this.#s;
    if (this.#naks.isConsequence(r, status)) return CAUSE.refusedWrongly;
    switch (status) {
      case WC_STATUS.remOpErr:
        return meetsBadReceive(r) ? CAUSE.receiveMayFail : undefined;
      case WC_STATUS.rnrRetryExcErr:
        return this.#refusals.mayGiveUp(q, r, s.options.wire.watches) ? CAUSE.rnrRetryExhausted : undefined;
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
    if (anySendFails(s, q)) return true;
    return mayGiveUp(s, q) || this.#refusals.mayGiveUpAny(q, s.options.wire.watches);
  }
}

/** What lets a receive end with `status`; undefined when nothing does. */
function lateCauseOfReceive(q: QueuePair, recv: Receive, status: number): PossibleCause | undefined {
  switch (status) {
    case WC_STATUS.locProtErr:
      return isBadReceive(q, recv) ? CAUSE.entryKey : undefined;
    case WC_STATUS.locAccessErr:
      return refusesWrite(q) ? CAUSE.refusedWrite : undefined;
    case WC_STATUS.locQpOpErr:
      return endsInvalidation(q, recv) ? CAUSE.failedInvalidation : undefined;
    case WC_STATUS.locLenErr:
      return isShort(q, recv) ? CAUSE.tooShort : undefined;
    default:
      return undefined;
  }
}

/** Whether a receive that completed with success had no key for what it says it holds. */
function mustHaveFailed(s: OracleState, q: QueuePair, recv: Receive, wc: WorkCompletion): boolean {
  const scattered = wc.status === WC_STATUS.success && wc.opcode !== WC_OPCODE.recvRdmaWithImm;
  return scattered && reachesClosed(recv, wc.byteLen) && !s.deregisteredKeys.mayBeFilled(q, recv);
}
