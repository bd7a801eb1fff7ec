import { type FlowKnowledge, MOST_RETRIES } from './flowKnowledge.ts';
import type { Profiles } from '../model/profiles.ts';
import { RNR_RETRY_FOR_EVER } from '../../rdma/timers.ts';
import { psnText } from '../../rdma/psnText.ts';
import type { AckTimer } from './ackTimer.ts';
import type { DecodedPacket } from '../../agents/wire/decodedPacket.ts';
import { FLOW, FLOW_BIT, FLOW_WORDS, type FlowTable } from './flowTable.ts';
import type { HeardFrames } from './heardFrames.ts';
import type { OverdueTimeouts } from './overdueTimeouts.ts';
import type { ReliableConnections } from './reliable/reliableConnections.ts';
import type { GoingBack, RequesterReference } from './reliable/requesterReference.ts';
import { formatTime } from '../../uvm/kernel/time.ts';
import { psnCompare } from '../../agents/wire/psnArithmetic.ts';
import type { Requesters } from './requesters.ts';
import { leastOf, mostOf, type Seen } from '../../agents/verbs/windowed.ts';
import { WIDENING, type WideningHits } from '../model/widenings.ts';
import type { RuleReporter } from '../../agents/wire/ruleReporter.ts';
import { MESSAGE, messageOf } from '../../agents/wire/wireOpcodes.ts';
import { RULE } from '../../agents/wire/transportRules.ts';

/**
 * Checks requesters that send packets of a reliable connection again (roce-transport.md 3.4, 3.8), by what has reached them:
 * from the oldest packet without an answer on, for something that has arrived or a time-out that may have expired, no sooner
 * than a receiver that is not ready asks, and no more often than they may.
 */
export class GoBackChecker {
  readonly #flows: FlowTable;
  readonly #timer: AckTimer;
  readonly #overdue: OverdueTimeouts;
  readonly #report: RuleReporter;
  readonly #reliable: ReliableConnections;
  readonly #widenings: WideningHits;
  readonly #requesters: Requesters;
  readonly #profiles: Profiles;

  /** What has come to the hosts, where that is known. */
  ports: HeardFrames | null = null;

  constructor(known: FlowKnowledge, report: RuleReporter) {
    this.#flows = known.flows;
    this.#timer = known.timer;
    this.#overdue = known.overdue;
    this.#report = report;
    this.#reliable = known.reliable;
    this.#widenings = known.reliable.certainty.widenings;
    this.#requesters = known.requesters;
    this.#profiles = known.profiles;
  }

  /** A request with a PSN that was sent before. @param at index of its flow in `FlowTable.state` */
  check(p: DecodedPacket, at: number): void {
    const flow = at / FLOW_WORDS;
    this.#beforeFirst(p, at);
    const requester = this.#reliable.requester(flow);
    if (requester === undefined) return;
    const { heard, nakAt } = requester;
    const since = requester.timerSince(this.#timer.sentAt(at, p.psn));
    const going = requester.goesBack(p.psn, p.handedOver);
    p.unansweredSince = this.#reliable.owedSince(flow);
    p.unansweredPsn = this.#reliable.owedPsn(flow);
    this.#checkPlace(p, at, heard, requester.heardAt);
    this.#checkNumber(p, flow, requester, going);
    this.#checkWait(p, going);
    this.#checkReason(p, at, since, going);
    // It may have been the last frame on the link.
    if (nakAt >= 0 && this.ports?.hasRested(p.host, nakAt - 1))
      this.#report.broken(RULE.nakIgnored, p, `is sent again only now; a NAK had come at ${formatTime(nakAt)}`);
    if (this.ports !== null && going.reason === undefined) this.#overdue.check(p, at, requester, this.ports);
  }

  #beforeFirst(p: DecodedPacket, at: number): void {
    const s = this.#flows.state;
    const first = s[at + FLOW.first] as number;
    if (psnCompare(p.psn, first) >= 0) return;
    s[at + FLOW.first] = p.psn;
    const announced = ((s[at] as number) & FLOW_BIT.announced) !== 0;
    if (announced)
      this.#report.broken(RULE.beforeFirstPsn, p, `retransmits from before the first PSN ${psnText(first)}`);
  }

  /** The oldest packet without an answer, or one before it as long as the answer is on its way. */
  #checkPlace(p: DecodedPacket, at: number, heard: number, heardAt: number): void {
    const skipped = psnCompare(p.psn, heard);
    if (skipped > 0 && !this.#inOneRead(at, heard, p.psn))
      this.#report.broken(RULE.leftOut, p, `retransmits, and no answer to PSN ${psnText(heard)} has come`);
    // It may have been the last frame on the link.
    if (skipped < 0 && this.ports?.hasRested(p.host, heardAt - 1))
      this.#report.broken(
        RULE.answeredBefore,
        p,
        `is sent again after its answer has come; PSN ${psnText(heard)} has none`,
      );
  }

  /** Retries since the latest progress, and waits for a receiver that is not ready. */
  #checkNumber(
    p: DecodedPacket,
    flow: number,
    { heard, heardAt, retries }: RequesterReference,
    going: GoingBack,
  ): void {
    const { reason, refusals } = going;
    const latest =
      heardAt < 0
        ? 'no answer has come'
        : `the latest answer, which has left PSN ${psnText(heard)}, came at ${formatTime(heardAt)}`;
    const { retryCnt, rnrRetry } = this.#requesters.of(flow);
    // Of retries some may have been made by a number before; for a receiver that is not ready the present one counts (3.8).
    const forEver = this.#profiles.of(p.host).choices.retrySevenIsForEver ? MOST_RETRIES : null;
    const limit = limitOf(retryCnt, Number.NEGATIVE_INFINITY, forEver);
    const { least, most, times } = retries;
    const mayBeFewer = (): boolean =>
      least <= limit && (reason?.why === 'not ready' || this.#widenings.permits(WIDENING.lateProgress));
    if (most > limit && !mayBeFewer())
      this.#report.broken(
        RULE.retryLimit,
        p,
        `is the retry no. ${Math.max(least, limit + 1)} since the last answer, and there may be ${limit}: sent again at ${times.map(formatTime).join(', ')}; ${latest}`,
      );
    if (refusals > limitOf(rnrRetry, Number.POSITIVE_INFINITY, RNR_RETRY_FOR_EVER))
      this.#report.broken(RULE.rnrLimit, p, `is sent again after ${refusals} refusals, one too many; ${latest}`);
  }

  #checkWait(p: DecodedPacket, { reason }: GoingBack): void {
    if (reason === undefined) return;
    if (p.time >= reason.asked) return;
    if (reason.until < 0 && this.#widenings.permits(WIDENING.expiredBeforeRefusal)) return;
    const until = `it was refused, and is to wait until ${formatTime(reason.asked)}`;
    this.#report.broken(RULE.rnrWait, p, `is sent again before the receiver may be ready: ${until}`);
  }

  /** @param since when its timer may have begun to run, ps; -1 = not known */
  #checkReason(p: DecodedPacket, at: number, since: number, { reason, later, late }: GoingBack): void {
    if (reason !== undefined) return;
    const mayHaveExpired = since >= 0 && this.#timer.leftSince(at, since, p.handedOver) < 0;
    if (mayHaveExpired) return;
    if (late && this.#widenings.permits(WIDENING.lateAnswer)) return;
    if (since < 0 && this.#widenings.permits(WIDENING.unknownTimer)) return;
    const timer = since < 0 ? 'of which no start is known' : `which cannot have run before ${formatTime(since)}`;
    if (later === undefined) {
      this.#report.broken(RULE.tooSoon, p, `is sent again before its time-out, ${timer}, and no NAK for it has come`);
      return;
    }
    const asked = psnText(later.psn);
    if (messageOf(p.flags) === MESSAGE.read)
      this.#report.broken(RULE.againAnswered, p, `asks for answers that have come: those before PSN ${asked} have`);
    else
      this.#report.broken(
        RULE.notAskedFor,
        p,
        `is sent again before its time-out, ${timer}, and the NAK asked for PSN ${asked}`,
      );
  }

  /** Whether both PSNs belong to the answer of one READ: which part of that is asked for again shows in its data. */
  #inOneRead(at: number, a: number, b: number): boolean {
    const { reads } = this.#flows.connection(at);
    const read = reads?.covering(a);
    return read !== undefined && read === reads?.covering(b);
  }
}

/**
 * How often a requester may try again at most (3.8); infinite where that is not known.
 * @param since by the numbers that it had at this time or later, ps
 * @param forEver number that stands for no limit
 */
function limitOf(limit: Seen<number>, since: number, forEver: number | null): number {
  const most = mostOf(limit, since);
  return leastOf(limit, since) >= 0 && most !== forEver ? most : Number.POSITIVE_INFINITY;
}
