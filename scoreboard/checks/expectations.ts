/**
 * Messages of unreliable services that have reached their receiver: each is expected to fill a receive, in the order of
 * arrival, unless the receiver may drop it (roce-transport.md 4.6, 7.1, 7.2).
 */

import type { WriteGuard } from '../memory/ranges/writeGuard.ts';
import { CHECK_LEVEL } from '../model/options.ts';
import type { OracleState } from '../model/oracleState.ts';
import { CAUSE } from '../model/outcomes.ts';
import { addInbound, awaitMessage, giveUp, isInbound, releaseIfDone, unlinkInbound } from '../model/queues.ts';
import { enterTransit, leaveTransit } from '../model/transit.ts';
import {
  LONGEST_KNOWN,
  type Message,
  type QueuePair,
  type ReceiveQueue,
  STAGE,
  NONE,
  UnattributedMessage,
} from '../model/work.ts';
import { WR_OPCODE } from '../../rdma/verbs.ts';
import { reachesClosed } from '../rules/badReceives.ts';
import { FATE, fateOf, noteBegunAgain, notePartial } from '../rules/droppedMessages.ts';
import { isClosed } from '../rules/remoteAccess.ts';
import type { Delivery } from '../reference/unreliable/delivery.ts';

export class Expectations {
  readonly #s: OracleState;
  readonly #guard: WriteGuard;
  readonly #holdsForbidden: (q: QueuePair) => boolean;

  /** @param holdsForbidden whether a WRITE with immediate data of a queue pair is forbidden now, and may be permitted yet */
  constructor(state: OracleState, guard: WriteGuard, holdsForbidden: (q: QueuePair) => boolean) {
    this.#s = state;
    this.#guard = guard;
    this.#holdsForbidden = holdsForbidden;
  }

  /**
   * A message is whole at queue pair `dest`.
   * @param beganAt when its first packet arrived, ps @param qkey that it carries; null of connected services
   */
  message(dest: QueuePair, r: Message, beganAt: number, qkey: number | null): void {
    const s = this.#s;
    const from = r.qp;
    if (r.stage === STAGE.inTransit) leaveTransit(this.#s, r);
    if (r.stage === STAGE.begun) this.#takeBack(r);
    // A receive has completed with it before all of it was there: it has been judged, and may be forgotten.
    if (!r.dataOpen) return;
    r.dest = dest;
    if (dest.dead || isClosed(r) || (qkey !== null && this.#isForeign(dest, qkey))) {
      this.lost(r);
      return;
    }
    const fate = fateOf(s, dest, r);
    if (fate === FATE.dropped && !this.#holdsForbidden(from)) {
      this.lost(r);
      return;
    }
    const mayBeDropped =
      fate !== FATE.arrives || dest.broken || r.outcomes.has(CAUSE.keyDeregistered) || this.#mayMiss(dest, r, beganAt);
    r.stage = STAGE.arrived;
    if (mayBeDropped || r.mayVanish) giveUp(s, r);
    else {
      awaitMessage(s, r);
      if (dest.inbound.count === 0) s.progress(dest);
    }
    addInbound(dest, r);
  }

  /**
   * A message is whole at queue pair `dest` of which it is not known which of its sender's it is. The receiver may drop it.
   * @param qkey that it carries; null of connected services
   */
  unattributed(dest: QueuePair, delivery: Delivery, qkey: number | null): void {
    const s = this.#s;
    if (dest.dead || (qkey !== null && this.#isForeign(dest, qkey))) return;
    const r = s.requests.unattributed(delivery, s.clock.now);
    r.dest = dest;
    if (fateOf(s, dest, r) === FATE.dropped && !this.#holdsForbidden(r.qp)) this.lost(r);
    else addInbound(dest, r);
  }

  /** The first packets of a message have come: should its receive have a void entry, it may end before all have. */
  begins(dest: QueuePair, r: Message): void {
    if (r.stage === STAGE.inTransit) leaveTransit(this.#s, r);
    if (isClosed(r)) return;
    r.dest = dest;
    r.stage = STAGE.begun;
    addInbound(dest, r);
  }

  /**
   * The first packet of a message of `sender` has come of which it is not known which it is: it may be of any length, and reach
   * entries whose keys are void by then. @returns what stands for it until it ends
   */
  beginsUnattributed(dest: QueuePair, sender: QueuePair): Message {
    const { requests, clock } = this.#s;
    const length = LONGEST_KNOWN;
    const r = requests.unattributed({ sender, opcode: WR_OPCODE.send, length, immediate: 0 }, clock.now);
    r.dest = dest;
    r.stage = STAGE.begun;
    addInbound(dest, r);
    return r;
  }

  /**
   * The first packet of a longer message that has come before comes once more: it begins anew in the next receive, and ends that
   * where it reaches an entry whose key is void. @param known the message if it is still known, else `NO_MESSAGE` @param order its place
   */
  beginsAgain(dest: QueuePair, known: Message, order: number): void {
    noteBegunAgain(this.#s, dest, order);
    this.#mayFail(dest, known.exists ? known.length : LONGEST_KNOWN);
  }

  /** The rest of a message that has begun will not come, unless all of it comes once more. */
  cutShort(dest: QueuePair, r: Message): void {
    if (r.stage !== STAGE.begun) return;
    this.#takeBack(r);
    notePartial(this.#s, dest, r);
    this.#mayFail(dest, r.length);
    if (r instanceof UnattributedMessage) this.lost(r);
    else enterTransit(this.#s, r);
  }

  /** Nothing will come of a message. */
  lost(r: Message): void {
    if (r.remoteOpen) {
      this.#s.closedRanges.note(r.remoteBlock, r);
      this.#guard.closeRemote(r, true);
      r.remoteBlock = NONE;
    }
    r.stage = STAGE.settled;
    releaseIfDone(this.#s, r);
  }

  /** It is open whether a message fills a receive. */
  mayBeMissing(r: Message): void {
    giveUp(this.#s, r);
  }

  /** Another message like this one, which comes once more. */
  copyOf(r: Message): Message {
    const s = this.#s;
    const copy = s.requests.copyOf(r);
    copy.outstanding = false;
    copy.stage = STAGE.posted;
    if (r.outcomes.has(CAUSE.keyDeregistered)) copy.outcomes.allow(CAUSE.keyDeregistered);
    if (r.remoteOpen && s.options.level >= CHECK_LEVEL.full) this.#guard.openRemote(copy, copy.length);
    return copy;
  }

  /** What has come of a SEND of `length` bytes may have reached an entry whose key is void: then its receive ends with that. */
  #mayFail(dest: QueuePair, length: number): void {
    let recv = dest.rq.head;
    for (let i = dest.inbound.count; i >= 0 && recv.exists; i--, recv = recv.next) {
      if (!reachesClosed(recv, length + dest.headBytes)) continue;
      recv.outcomes.allow(CAUSE.entryKey);
      // Its sends are flushed then, perhaps into another completion queue, and seen before.
      dest.mayFlush();
    }
  }

  #takeBack(r: Message): void {
    r.stage = STAGE.posted;
    // Its list may have been emptied meanwhile.
    if (isInbound(r.dest, r)) unlinkInbound(r.dest, r);
  }

  /** Whether a datagram must be dropped because its Q_Key is not that of its destination (roce-transport.md 4.3). */
  #isForeign(dest: QueuePair, qkey: number): boolean {
    return dest.ready && !dest.isChanging && qkey !== dest.qkey.now;
  }

  /** Whether the receiver may have been in no state to take it, or may have had no receive for it. */
  #mayMiss(dest: QueuePair, r: Message, beganAt: number): boolean {
    if (!dest.ready || dest.isChanging || dest.stops || dest.isLeaving) return true;
    const { rq, inbound } = dest;
    // Others take receives too, and hold one each that was too short for what has come.
    if (rq.isShared)
      return rq.waiting <= wantedOf(rq) || rq.postedAt + this.#s.options.wire.hearingTime(dest.host) > beganAt;
    if (rq.waiting <= inbound.count) return true;
    if (rq.postedAt <= r.postedAt) return false;
    let recv = rq.head;
    for (let i = 0; i < inbound.count; i++) recv = recv.next;
    // Posted before the message was, it is there; posted later, the NIC may not know of it yet.
    const told = recv.postedAt + this.#s.options.wire.hearingTime(dest.host);
    return !recv.isBefore(r.order) && told > beganAt;
  }
}

/** Receives that queue pairs may take which share them: for the messages on their way to each, and one more. */
function wantedOf({ users }: ReceiveQueue): number {
  return users.reduce((sum, { inbound }) => sum + 1 + inbound.count, 0);
}
