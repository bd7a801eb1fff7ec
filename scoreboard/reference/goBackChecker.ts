import { type FlowKnowledge, MOST_RETRIES } from './flowKnowledge.ts';
import type { TransportChoices } from '../model/transportChoices.ts';
import { psnText } from '../../rdma/psnText.ts';
import type { AckTimer } from './ackTimer.ts';
import type { Disturbed } from './disturbed.ts';
import type { DecodedPacket } from '../../agents/wire/decodedPacket.ts';
import { FLOW, FLOW_BIT, FLOW_WORDS, type FlowTable, isLeftOver } from './flowTable.ts';
import type { HeardFrames } from './heardFrames.ts';
import type { NotReadyWaits } from './notReadyWaits.ts';
import type { OverdueTimeouts } from './overdueTimeouts.ts';
import type { ReliableConnections } from './reliable/reliableConnections.ts';
import type { GoingBack, RequesterReference } from './reliable/requesterReference.ts';
import { formatTime } from '../../uvm/kernel/time.ts';
import { psnCompare } from '../../agents/wire/psnArithmetic.ts';
import type { ReadTable } from './readTable.ts';
import type { GoBacks } from './goBacks.ts';
import type { Requesters } from './requesters.ts';
import { leastOf, mostOf } from '../../agents/verbs/windowed.ts';
import type { RetryCounts } from './retryCounts.ts';
import type { RuleReporter } from '../../agents/wire/ruleReporter.ts';
import { MESSAGE, messageOf } from '../../agents/wire/wireOpcodes.ts';

/** Of a requester whose arrivals are not followed. */
const NOT_FOLLOWED = { asked: false, late: false } as const;

/**
 * Checks requesters that send packets of a reliable connection again (roce-transport.md 3.4, 3.8): from the oldest
 * without an answer on, for a NAK or a time-out that may have expired, no sooner than a refusal allows, and no more
 * often than they may.
 */
export class GoBackChecker {
  readonly #flows: FlowTable;
  readonly #reads: ReadTable;
  readonly #timer: AckTimer;
  readonly #waits: NotReadyWaits;
  readonly #refusals: RetryCounts;
  readonly #retries: RetryCounts;
  readonly #goBacks: GoBacks;
  readonly #overdue: OverdueTimeouts;
  readonly #report: RuleReporter;
  readonly #disturbed: Disturbed;
  readonly #reliable: ReliableConnections;
  readonly #requesters: Requesters;
  readonly #choices: TransportChoices;

  /** What has come to the hosts, where that is known. */
  ports: HeardFrames | null = null;

  constructor(known: FlowKnowledge, report: RuleReporter) {
    this.#flows = known.flows;
    this.#reads = known.reads;
    this.#timer = known.timer;
    this.#waits = known.waits;
    this.#refusals = known.refusals;
    this.#retries = known.retries;
    this.#goBacks = known.goBacks;
    this.#overdue = known.overdue;
    this.#report = report;
    this.#disturbed = known.disturbed;
    this.#reliable = known.reliable;
    this.#requesters = known.requesters;
    this.#choices = known.choices;
  }

  /** A request with a PSN that was sent before. */
  check(p: DecodedPacket, at: number): void {
    const s = this.#flows.state;
    const first = s[at + FLOW.first] as number;
    if (psnCompare(p.psn, first) < 0) {
      s[at + FLOW.first] = p.psn;
      const announced = ((s[at] as number) & FLOW_BIT.announced) !== 0;
      if (announced) this.#report.broken('WIRE_PSN', p, `goes back before the first PSN ${psnText(first)}`);
    }
    this.#goBacks.another(at / FLOW_WORDS, p.psn, p.host);
    const requester = this.#reliable.requester(at / FLOW_WORDS);
    const going = requester === undefined ? NOT_FOLLOWED : this.#byArrivals(p, at, requester);
    this.#countRetry(p, at, going);
    this.#returnPoint(p, at);
    if (this.ports !== null) this.#overdue.check(p, at, this.ports);
    if (!this.#disturbed.has(at / FLOW_WORDS)) {
      this.#countRefusals(p, at);
      this.#wait(p, at);
      this.#needReason(p, at, going.late);
    }
    // A NAK allows one return.
    s[at] = (s[at] as number) & ~FLOW_BIT.refused;
  }

  /** What the requester can know of answers is what has reached it. */
  #byArrivals(p: DecodedPacket, at: number, requester: RequesterReference): GoingBack {
    const { heard, heardAt, nakAt, wentBackAt } = requester;
    const going = requester.goesBack(p.psn, p.handedOver);
    const { asked, late, heard: known, spent } = going;
    if (!this.#disturbed.has(at / FLOW_WORDS)) return going;
    const limit = this.#limit(at);
    if (spent > limit)
      this.#report.broken(
        'WIRE_RETRY',
        p,
        `is the retry no. ${spent} since the last answer, and there may be ${limit}`,
      );
    const skipped = psnCompare(p.psn, heard);
    if (skipped > 0 && !this.#inOneRead(at, heard, p.psn))
      this.#report.broken('WIRE_RETRY', p, `goes back, and no answer to PSN ${psnText(heard)} has come`);
    if (skipped < 0 && this.ports?.hasRested(p.host, heardAt))
      this.#report.broken(
        'WIRE_UNPROVOKED',
        p,
        `is sent again after its answer has come; PSN ${psnText(heard)} has none`,
      );
    if (nakAt >= 0 && this.ports?.hasRested(p.host, nakAt))
      this.#report.broken('WIRE_NAK_IGNORED', p, `is sent again only now; a NAK had come at ${formatTime(nakAt)}`);
    p.unansweredSince = this.#reliable.owedSince(at / FLOW_WORDS);
    const since = wentBackAt >= 0 ? wentBackAt : this.#timer.sentAt(at, p.psn);
    if (late || since < 0 || this.#timer.leftSince(at, since, p.handedOver) < 0) return going;
    if (asked) {
      if (messageOf(p.flags) === MESSAGE.read && psnCompare(p.psn, known) < 0)
        this.#report.broken(
          'WIRE_RETRY',
          p,
          `asks for answers that have come: those before PSN ${psnText(known)} have`,
        );
      return going;
    }
    this.#report.broken('WIRE_UNPROVOKED', p, 'is sent again before its time-out, and no NAK for it has come');
    return going;
  }

  /**
   * The oldest packet without an answer, or one before it where the answer is still on its way, which is seen here first.
   * Where all that was sent ends a message, an answer to that is due.
   */
  #returnPoint(p: DecodedPacket, at: number): void {
    const s = this.#flows.state;
    const bits = s[at] as number;
    if ((bits & FLOW_BIT.announced) === 0) return;
    const lossless = !this.#disturbed.has(at / FLOW_WORDS);
    const oldest = s[at + FLOW.acknowledged] as number;
    const skipped = psnCompare(p.psn, oldest);
    if (skipped > 0 && !this.#inOneRead(at, oldest, p.psn))
      this.#report.broken('WIRE_RETRY', p, `goes back, and PSN ${psnText(oldest)} has no answer`);
    if (skipped < 0 && lossless && this.ports?.hasRested(p.host, this.#goBacks.answeredAt(at / FLOW_WORDS)))
      this.#report.broken('WIRE_UNPROVOKED', p, `is sent again after its answer; PSN ${psnText(oldest)} has none`);
    const refused = (bits & FLOW_BIT.refused) !== 0;
    const due = skipped === 0 && lossless && !refused && s[at + FLOW.message] === MESSAGE.none;
    if (due) p.unansweredSince = this.#timer.lastSentAt(at);
  }

  /** Retries that the requester has at most (3.8); RNR NAKs do not reload them. Infinite where that is not known. */
  #limit(at: number): number {
    const { retryCnt } = this.#requesters.of(at / FLOW_WORDS);
    const most = mostOf(retryCnt, Number.NEGATIVE_INFINITY);
    const isKnown = leastOf(retryCnt, Number.NEGATIVE_INFINITY) >= 0;
    const isForEver = this.#choices.retrySevenIsForEver && most === MOST_RETRIES;
    return isKnown && !isForEver ? most : Number.POSITIVE_INFINITY;
  }

  /** Whether both PSNs belong to the answer of one READ: which part of that is asked for again shows in its data. */
  #inOneRead(at: number, a: number, b: number): boolean {
    const read = this.#reads.covering(at, a);
    return read >= 0 && read === this.#reads.covering(at, b);
  }

  /** What was refused must wait; a packet that is sent again for its time-out may pass the refusal on the way. */
  #wait(p: DecodedPacket, at: number): void {
    if (!this.#waits.isTooEarly(at / FLOW_WORDS, p.psn, p.time)) return;
    const bits = this.#flows.state[at] as number;
    // The time-out is forgotten with the peer.
    if (isLeftOver(bits)) return;
    const timedOut = (bits & FLOW_BIT.timedOut) !== 0;
    if (timedOut || this.#timer.mayHaveExpired(p.handedOver, at, p.psn, true)) return;
    this.#report.broken('WIRE_RNR', p, 'is sent again before the receiver may be ready');
  }

  /**
   * Time-outs take a requester back to its oldest packet without an answer: a PSN to which it returns again and again
   * has had none, also where the peer is gone and its flow forgotten. One that a NAK has asked for is not judged, since
   * other NAKs may be on their way.
   * @param asked a NAK that has come may be why it goes back, though a later answer is sent by now
   * @param late or the time-out of a packet before, whose answer has come since
   */
  #countRetry(p: DecodedPacket, at: number, { asked, late }: Pick<GoingBack, 'asked' | 'late'>): void {
    const flow = at / FLOW_WORDS;
    const s = this.#flows.state;
    if (((s[at] as number) & FLOW_BIT.refused) !== 0) {
      this.#retries.exempt(flow, p.psn);
      // Gone back for a time-out, the sender has not heard the NAK yet.
      const oldest = s[at + FLOW.acknowledged] as number;
      if (p.psn !== oldest) this.#retries.exemptLater(flow, oldest);
      return;
    }
    if (asked) {
      this.#retries.exempt(flow, p.psn);
      return;
    }
    this.#retries.another(flow, p.psn, this.#isItsOwn(p, at) && !late ? 1 : 0);
    const count = this.#retries.tooMany(flow, p.psn);
    if (count > 0)
      this.#report.broken('WIRE_RETRY', p, `is sent again without an answer: ${count} times, one too many`);
  }

  /**
   * Whether the requester goes back for want of an answer to this packet. It may also do so for one before, whose answer
   * came late, or is found when it has gone back already; then it begins here, and this packet has all its retries left.
   */
  #isItsOwn(p: DecodedPacket, at: number): boolean {
    const s = this.#flows.state;
    const announced = ((s[at] as number) & FLOW_BIT.announced) !== 0;
    if (announced && s[at + FLOW.acknowledged] === s[at + FLOW.first]) return true;
    if (this.#goBacks.takeLate(at / FLOW_WORDS)) return false;
    return this.ports === null || this.ports.hasHeardAll(p.host);
  }

  /** A requester gives up when it is refused once more often than it may try again. */
  #countRefusals(p: DecodedPacket, at: number): void {
    const flow = at / FLOW_WORDS;
    const bits = this.#flows.state[at] as number;
    if ((bits & FLOW_BIT.announced) === 0 || (bits & FLOW_BIT.refused) === 0) return;
    const timedOut = (bits & FLOW_BIT.timedOut) !== 0 || this.#timer.mayHaveExpired(p.handedOver, at, p.psn, true);
    const count = this.#refusals.tooMany(flow, p.psn);
    if (timedOut) this.#refusals.exempt(flow, p.psn);
    else if (count > 0) this.#report.broken('WIRE_RNR', p, `is sent again after ${count} refusals, one too many`);
  }

  /**
   * A NAK allows one return, to the packet that it asks for: all before it is acknowledged. Without one the time-out
   * must have expired, of this packet or, where a `late` answer has come since, of the one that it answered. After that
   * returns are no longer judged: an acknowledgement seen here may still be on its way to the requester, whose timer
   * then began earlier than it seems.
   */
  #needReason(p: DecodedPacket, at: number, late: boolean): void {
    const s = this.#flows.state;
    const bits = s[at] as number;
    if ((bits & FLOW_BIT.announced) === 0 || (bits & FLOW_BIT.timedOut) !== 0) return;
    const refused = (bits & FLOW_BIT.refused) !== 0;
    const asked = s[at + FLOW.acknowledged] as number;
    const provoked = refused && p.psn === asked;
    // Where both may be the reason, the return for the other one may still come.
    if (this.#timer.mayHaveExpired(p.handedOver, at, p.psn, !provoked)) s[at] = bits | FLOW_BIT.timedOut;
    else if (!provoked && !late) {
      const nak = refused ? `the NAK asked for PSN ${psnText(asked)}` : 'no NAK asked for it';
      this.#report.broken('WIRE_UNPROVOKED', p, `is sent again before its time-out, and ${nak}`);
    }
  }
}
