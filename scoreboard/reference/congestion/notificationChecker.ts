/**
 * The notification point of congestion control (roce-transport.md 8): a CNP for a queue pair whose packet has arrived marked,
 * one in an interval, and for no other. Marks are known from what arrives; so nothing may be said of congestion on a link
 * that no fault rule touches.
 *
 * A mark of which a CNP must speak is one on a request of a reliable connection that was answered after it arrived: what is
 * not answered may have been dropped (4.1), and that gives no CNP. Of a packet that comes once more, or behind a later one, an
 * answer says nothing: it may be about another copy. Of a NIC that declares it (`TransportChoices.cnpFor`) a CNP must speak also of
 * marks on READ responses and on packets of UC, which nobody answers: those that arrive in order for a queue pair that does not fail.
 */

import type { QueuePairSubject } from '../../../rdma/subject.ts';
import { aMoment, aPsnRange, aQueuePair } from '../../../rdma/subjectParts.ts';
import { BTH_CLASS, BTH_OP, OPCODE_CNP } from '../../../rdma/bth.ts';
import type { SimTime } from '../../../uvm/kernel/scheduler.ts';
import { psnText } from '../../../rdma/psnText.ts';
import { formatTime } from '../../../uvm/kernel/time.ts';
import type { DecodedPacket } from '../../../agents/wire/decodedPacket.ts';
import { psnAdd, psnCompare } from '../../../agents/wire/psnArithmetic.ts';
import { LAST_ACK } from '../../../agents/wire/syndromes.ts';
import type { WireMonitor } from '../../../agents/wire/wireMonitor.ts';
import { OPCODE } from '../../../agents/wire/wireOpcodes.ts';
import type { CongestionNotice } from '../../model/congestion.ts';
import type { Profiles } from '../../model/profiles.ts';
import { FlowTable } from '../flowTable.ts';
import type { HeardFrames } from '../heardFrames.ts';
import { NotificationPace } from './notificationPace.ts';
import { type MarkedArrival, NotifiedQueuePair } from './notifiedQueuePair.ts';
import { RULE } from '../../../agents/wire/transportRules.ts';

/** The two bits of a traffic class: congestion experienced. */
const EXPERIENCED = 3;
const ACKNOWLEDGE = BTH_CLASS.rc | BTH_OP.acknowledge;

export class NotificationChecker {
  /** What has come to the hosts, where that is known. */
  ports: HeardFrames | null = null;

  readonly #wire: WireMonitor;
  readonly #profiles: Profiles;
  /** Whether a packet that nobody answers has come to a queue pair that takes it; a READ response as the next one too. */
  readonly #isAwaited: (p: DecodedPacket) => boolean;
  /** What the NIC of a host does. */
  readonly #noticeOf: (host: number) => CongestionNotice;
  /** By `FlowTable.connected` of the queue pair whose packets were marked. */
  readonly #notified = new Map<number, NotifiedQueuePair>();
  readonly #pace: NotificationPace;
  /** By the same: the newest request that has arrived. */
  readonly #newest = new Map<number, number>();
  /** Queue pairs that have failed, or are being stopped. */
  readonly #stopping = new Set<number>();
  /** Of unreliable connections: nothing is missing of the message whose packet has arrived last. */
  readonly #whole = new Set<number>();

  constructor(
    wire: WireMonitor,
    profiles: Profiles,
    noticeOf: (host: number) => CongestionNotice,
    isAwaited: (p: DecodedPacket) => boolean,
  ) {
    this.#isAwaited = isAwaited;
    this.#wire = wire;
    this.#profiles = profiles;
    this.#noticeOf = noticeOf;
    this.#pace = new NotificationPace(profiles);
  }

  /** A sound packet reaches a NIC at `now`, ps. */
  arrived(p: DecodedPacket, now: SimTime): void {
    if (!mayBeNotified(p)) return;
    const qpn = this.#wire.sourceQp(p);
    if (qpn < 0) return;
    const key = FlowTable.connected(p.host, qpn);
    const isInSequence = this.#isInSequence(p, key);
    const isNew = this.#isNew(p, key);
    if ((p.trafficClass & EXPERIENCED) !== EXPERIENCED) return;
    const notified = this.#notified.get(key) ?? new NotifiedQueuePair();
    this.#notified.set(key, notified);
    this.#settle(notified, p.to, aQueuePair(p.host, qpn));
    const { notifies, interval } = this.#noticeOf(p.to);
    // Within the interval after a CNP none must follow (8).
    const owes = notifies && now - this.#pace.latest(p.to, p.port, p.host, key) >= interval;
    const isAnswered = isNew && p.opcode < BTH_CLASS.uc;
    const isFirst = isNew || (p.flags & OPCODE.request) === 0;
    const isTaken = owes && !isAnswered && isFirst && isInSequence && this.#isOwedUnanswered(p);
    const isOwed = owes && (isAnswered || isTaken);
    notified.arrives({ psn: p.psn, at: now, by: p.to, byQpn: p.destQp, isOwed, isAnswered, accepted: isTaken });
  }

  /** Whether its receiver owes a CNP for a packet that nobody answers. */
  #isOwedUnanswered(p: DecodedPacket): boolean {
    return (
      this.#profiles.of(p.to).choices.cnpFor === 'all in order' &&
      !this.#stopping.has(FlowTable.connected(p.to, p.destQp)) &&
      this.#isAwaited(p)
    );
  }

  /** A queue pair is in RTS: it takes what nobody answers. */
  ready(host: number, qpn: number): void {
    this.#stopping.delete(FlowTable.connected(host, qpn));
  }

  /** A queue pair fails, or software begins to stop it: what has come to it, and what comes from now on, may be dropped. */
  stops(host: number, qpn: number): void {
    this.#stopping.add(FlowTable.connected(host, qpn));
    for (const [key, notified] of this.#notified) {
      if (!notified.owed.some((mark) => mark.by === host && mark.byQpn === qpn)) continue;
      this.#settle(notified, host, aQueuePair(FlowTable.hostOf(key), FlowTable.qpnOf(key)));
      notified.dropOwed((mark) => mark.by === host && mark.byQpn === qpn && !mark.isAnswered);
    }
  }

  /** Of UC: whether nothing of its message is missing so far; of READ responses its requester knows. */
  #isInSequence({ opcode, flags, psn }: DecodedPacket, key: number): boolean {
    if ((flags & OPCODE.request) === 0) return isReadResponse(opcode);
    if (opcode < BTH_CLASS.uc) return false;
    const newest = this.#newest.get(key);
    const follows = newest !== undefined && psnAdd(newest, 1) === psn && this.#whole.has(key);
    const isWhole = follows || (flags & OPCODE.start) !== 0;
    if (isWhole) this.#whole.add(key);
    else this.#whole.delete(key);
    return isWhole;
  }

  /** Whether it is a request, and newer than all that have arrived. */
  #isNew({ flags, psn }: DecodedPacket, key: number): boolean {
    if ((flags & OPCODE.request) === 0) return false;
    const newest = this.#newest.get(key);
    if (newest !== undefined && psnCompare(psn, newest) <= 0) return false;
    this.#newest.set(key, psn);
    return true;
  }

  /** A sound packet leaves a NIC. */
  sent(p: DecodedPacket): void {
    if (p.opcode === OPCODE_CNP) this.#notice(p);
    else if (this.#notified.size > 0 && (p.flags & OPCODE.request) === 0 && p.to >= 0) this.#answered(p);
  }

  /** The queue pair that is told of congestion has a new peer. @param host of it, and its number */
  begin(host: number, qpn: number): void {
    const key = FlowTable.connected(host, qpn);
    this.#newest.delete(key);
    this.#whole.delete(key);
    this.#notified.get(key)?.begin();
    this.#pace.begin(key);
  }

  /** The run is over, and nothing is under way any more. */
  finish(): void {
    for (const [key, notified] of this.#notified) {
      this.#demand(notified, aQueuePair(FlowTable.hostOf(key), FlowTable.qpnOf(key)), () => true);
    }
  }

  #notice(p: DecodedPacket): void {
    const { interval } = this.#noticeOf(p.host);
    const key = FlowTable.connected(p.to, p.destQp);
    const notified = this.#notified.get(key);
    if (notified === undefined) {
      this.#wire.broken(RULE.cnpUnmarked, p, 'and no packet of that queue pair has arrived marked');
      return;
    }
    this.#forgetRested(notified, p.host);
    const since = p.handedOver - this.#pace.latest(p.host, p.port, p.to, key);
    this.#pace.notice(p.host, p.port, p.to, key, p.handedOver);
    if (since < interval - this.#profiles.of(p.host).unseenTime) {
      const right = `there may be one in ${formatTime(interval)}`;
      this.#wire.broken(RULE.cnpPace, p, `${formatTime(since)} after the one before; ${right}`);
    }
    this.#silences(p, notified);
    if (!notified.notice())
      this.#wire.broken(RULE.cnpUnmarked, p, 'and no packet of that queue pair has arrived marked since the last');
  }

  /** A CNP that is paced by destination or port is the only one for all queue pairs there, for an interval. */
  #silences(p: DecodedPacket, told: NotifiedQueuePair): void {
    if (this.#profiles.of(p.host).choices.cnpPacing === 'queue pair') return;
    for (const [key, notified] of this.#notified) {
      const sender = FlowTable.hostOf(key);
      if (notified !== told && this.#pace.isShared(p, sender)) notified.dropOwed(({ by }) => by === p.host);
    }
  }

  /** Whoever answers a packet has accepted it. */
  #answered(p: DecodedPacket): void {
    const owed = this.#notified.get(FlowTable.connected(p.to, p.destQp))?.owed;
    if (owed === undefined) return;
    const refuses = p.opcode === ACKNOWLEDGE && p.syndrome > LAST_ACK;
    for (const mark of owed) if (psnCompare(mark.psn, p.psn) < (refuses ? 0 : 1)) mark.accepted = true;
  }

  /** Another packet arrives marked, while what came before may have been dealt with. */
  #settle(notified: NotifiedQueuePair, host: number, sender: QueuePairSubject): void {
    const { ports } = this;
    if (ports === null) return;
    this.#demand(notified, sender, ({ at }) => ports.hasRested(host, at));
    this.#forgetRested(notified, host);
  }

  /** A NIC that has rested since a packet came says nothing of it any more. */
  #forgetRested({ marks }: NotifiedQueuePair, host: number): void {
    const oldest = marks[0];
    if (oldest === undefined || this.ports?.hasRested(host, oldest.at) !== true) return;
    const first = marks.findIndex(({ at }) => this.ports?.hasRested(host, at) !== true);
    marks.splice(0, first < 0 ? marks.length : first);
  }

  /** Those that were accepted and due had to be told of. */
  #demand({ owed }: NotifiedQueuePair, { host, qpn }: QueuePairSubject, isDue: (mark: MarkedArrival) => boolean): void {
    const late = owed.find((mark) => mark.accepted && isDue(mark));
    if (late === undefined) return;
    owed.splice(0, owed.indexOf(late) + 1);
    this.#wire.brokenAtRest(
      RULE.cnpMissing,
      () =>
        `host ${host} QP ${qpn} was not told by a CNP that its packet with PSN ${psnText(late.psn)} had arrived marked`,
      [aPsnRange(host, qpn, late.psn), aMoment(late.at)],
    );
  }
}

/** Acknowledgements say nothing of the path of data. */
function isReadResponse(opcode: number): boolean {
  return opcode >= BTH_OP.readResponseFirst && opcode <= BTH_OP.readResponseOnly;
}

/** Data packets of connected queue pairs: what is said of congestion with others is left to the NIC. */
function mayBeNotified({ flags, opcode, to }: DecodedPacket): boolean {
  return to >= 0 && (flags & OPCODE.deth) === 0 && opcode !== OPCODE_CNP;
}
