/** What the wire monitor has seen of flows and been told of their queue pairs, shared by the checkers that judge by it. */

import { AtomicAnswers } from './atomicAnswers.ts';
import { AckTimer } from './ackTimer.ts';
import { FlowTable } from './flowTable.ts';
import { NotReadyTimes } from './notReadyTimes.ts';
import { OverdueTimeouts } from './overdueTimeouts.ts';
import { ReadHistory } from './readHistory.ts';
import { ReadTable } from './readTable.ts';
import { ReliableConnections } from './reliable/reliableConnections.ts';
import { Requesters } from './requesters.ts';
import { RetryCache } from './retryCache.ts';
import type { Profiles } from '../model/profiles.ts';
import type { RuleReporter } from '../../agents/wire/ruleReporter.ts';
import { ForeignRequesters } from './foreignRequesters.ts';

/** The most that `retry_cnt` may say. */
export const MOST_RETRIES = 7;

export class FlowKnowledge {
  readonly flows = new FlowTable();
  readonly foreign = new ForeignRequesters(this.flows);
  readonly requesters = new Requesters();
  readonly reads: ReadTable;
  readonly asked = new ReadHistory();
  readonly answers = new AtomicAnswers();
  readonly cache = new RetryCache();
  readonly times = new NotReadyTimes();
  /** What the NICs do unseen. */
  readonly profiles: Profiles;
  readonly timer: AckTimer;
  readonly overdue: OverdueTimeouts;
  /** What has reached the ends of reliable connections. */
  readonly reliable: ReliableConnections;

  /** @param keptReads READs of a flow beyond which answered ones are forgotten; default: that of `ReadTable` */
  constructor(report: RuleReporter, profiles: Profiles, keptReads?: number) {
    this.reads = new ReadTable(this.flows, keptReads);
    this.profiles = profiles;
    this.timer = new AckTimer(this, profiles);
    this.reliable = new ReliableConnections(this.flows, this.timer, profiles);
    this.overdue = new OverdueTimeouts(this, report);
  }

  /** Requests of a connected queue pair begin in a flow. */
  begin(flow: number): void {
    this.overdue.begin(flow);
  }
}
