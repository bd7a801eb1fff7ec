/** What the wire monitor has seen of flows and been told of their queue pairs, shared by the checkers that judge by it. */

import { RNR_RETRY_FOR_EVER } from '../../rdma/timers.ts';
import type { QpInfo } from '../../agents/verbs/verbsItems.ts';
import { AckTimer } from './ackTimer.ts';
import { FlowTable } from './flowTable.ts';
import { NotReadyWaits } from './notReadyWaits.ts';
import { OpenGaps } from './openGaps.ts';
import { OverdueReturns } from './overdueReturns.ts';
import { ReadHistory } from './readHistory.ts';
import { ReadTable } from './readTable.ts';
import { RetryCache } from './retryCache.ts';
import { RetryCounts } from './retryCounts.ts';
import { Returns } from './returns.ts';
import { LinkPromise } from '../model/linkPromise.ts';
import type { Profile } from '../model/profile.ts';
import type { RuleReporter } from '../../agents/wire/ruleReporter.ts';
import { Strangers } from './strangers.ts';

export class FlowKnowledge {
  readonly flows = new FlowTable();
  readonly strangers = new Strangers(this.flows);
  readonly reads = new ReadTable(this.flows);
  readonly asked = new ReadHistory();
  readonly cache = new RetryCache();
  readonly waits = new NotReadyWaits();
  readonly gaps = new OpenGaps();
  readonly refusals = new RetryCounts(RNR_RETRY_FOR_EVER);
  readonly retries = new RetryCounts();
  readonly returns: Returns;
  readonly timer: AckTimer;
  readonly overdue: OverdueReturns;
  readonly link: LinkPromise;

  constructor(report: RuleReporter, lossless: boolean, profile: Profile) {
    this.link = new LinkPromise(lossless);
    this.returns = new Returns(profile);
    this.timer = new AckTimer(this.flows, this.reads, this.cache, this.link, profile);
    this.overdue = new OverdueReturns(this.flows, this.timer, this.returns, this.waits, report);
  }

  /** Requests of a connected queue pair begin in a flow, under the attributes that it has now. */
  begin(flow: number, { rnrRetry, retryCnt }: QpInfo): void {
    this.refusals.begin(flow, rnrRetry);
    this.retries.begin(flow, retryCnt);
    this.returns.begin(flow, retryCnt);
    this.overdue.begin(flow);
    this.gaps.begin(flow);
  }
}
