/** What the wire monitor has seen of flows and been told of their queue pairs, shared by the checkers that judge by it. */

import { RNR_RETRY_FOR_EVER } from '../../rdma/timers.ts';
import { AtomicAnswers } from './atomicAnswers.ts';
import { AckTimer } from './ackTimer.ts';
import { Disturbed } from './disturbed.ts';
import { FlowTable } from './flowTable.ts';
import { NotReadyWaits } from './notReadyWaits.ts';
import { OpenGaps } from './openGaps.ts';
import { OverdueTimeouts } from './overdueTimeouts.ts';
import { ReadHistory } from './readHistory.ts';
import { ReadTable } from './readTable.ts';
import { ReliableConnections } from './reliable/reliableConnections.ts';
import { Requesters } from './requesters.ts';
import { RetryCache } from './retryCache.ts';
import { RetryCounts } from './retryCounts.ts';
import { GoBacks } from './goBacks.ts';
import type { TransportChoices } from '../model/transportChoices.ts';
import type { Profile } from '../model/profile.ts';
import type { RuleReporter } from '../../agents/wire/ruleReporter.ts';
import { ForeignRequesters } from './foreignRequesters.ts';

/** The most that `retry_cnt` may say. */
export const MOST_RETRIES = 7;
/** No number of retries stands for no limit. */
const NO_LIMIT = -1;

export class FlowKnowledge {
  readonly flows = new FlowTable();
  readonly foreign = new ForeignRequesters(this.flows);
  readonly requesters = new Requesters();
  readonly reads = new ReadTable(this.flows);
  readonly asked = new ReadHistory();
  readonly answers = new AtomicAnswers();
  readonly cache = new RetryCache();
  readonly waits: NotReadyWaits;
  readonly gaps = new OpenGaps();
  readonly refusals = new RetryCounts((flow) => this.requesters.of(flow).rnrRetry, RNR_RETRY_FOR_EVER);
  readonly retries: RetryCounts;
  /** What the NICs do where implementations differ. */
  readonly choices: TransportChoices;
  readonly goBacks: GoBacks;
  readonly timer: AckTimer;
  readonly overdue: OverdueTimeouts;
  /** Flows of which fault rules have changed what arrives: more than a NAK or a time-out may be behind what they do. */
  readonly disturbed = new Disturbed();
  /** What has reached the ends of reliable connections, where fault rules may act. */
  readonly reliable: ReliableConnections;
  /** Those of them at whose ends a packet may have been taken that no NIC has sent. */
  readonly misled = new Disturbed();

  constructor(report: RuleReporter, profile: Profile) {
    this.choices = profile.choices;
    const forEver = profile.choices.retrySevenIsForEver ? MOST_RETRIES : NO_LIMIT;
    this.retries = new RetryCounts((flow) => this.requesters.of(flow).retryCnt, forEver);
    this.waits = new NotReadyWaits(profile.choices);
    this.goBacks = new GoBacks(profile);
    this.timer = new AckTimer(this, profile);
    this.reliable = new ReliableConnections(this.flows, this.timer);
    this.overdue = new OverdueTimeouts(this, report);
  }

  /** Requests of a connected queue pair begin in a flow. */
  begin(flow: number): void {
    this.refusals.begin(flow);
    this.retries.begin(flow);
    this.goBacks.begin(flow);
    this.overdue.begin(flow);
    this.gaps.begin(flow);
  }
}
