/** What the wire monitor has seen of flows and been told of their queue pairs, shared by the checkers that judge by it. */

import { AckTimer } from './ackTimer.ts';
import { FLOW, FLOW_WORDS, FlowTable } from './flowTable.ts';
import { NotReadyTimes } from './notReadyTimes.ts';
import { OverdueTimeouts } from './overdueTimeouts.ts';
import { ReliableConnections } from './reliable/reliableConnections.ts';
import { Requesters } from './requesters.ts';
import type { Profiles } from '../model/profiles.ts';
import type { RuleReporter } from '../../agents/wire/ruleReporter.ts';
import { ForeignRequesters } from './foreignRequesters.ts';

/** The most that `retry_cnt` may say. */
export const MOST_RETRIES = 7;

export class FlowKnowledge {
  readonly flows: FlowTable;
  readonly foreign: ForeignRequesters;
  readonly requesters = new Requesters();
  readonly times = new NotReadyTimes();
  /** What the NICs do unseen. */
  readonly profiles: Profiles;
  readonly timer: AckTimer;
  readonly overdue: OverdueTimeouts;
  /** What has reached the ends of reliable connections. */
  readonly reliable: ReliableConnections;

  /** @param mostReads READs and atomics of a connection beyond which answered ones are dropped; default: that of `ReadRequests` */
  constructor(report: RuleReporter, profiles: Profiles, mostReads?: number) {
    this.flows = new FlowTable(mostReads);
    this.foreign = new ForeignRequesters(this.flows);
    this.profiles = profiles;
    this.timer = new AckTimer(this, profiles);
    this.reliable = new ReliableConnections(this.flows, this.timer, profiles);
    this.overdue = new OverdueTimeouts(this, report);
  }

  /** PSN before which the requester of a flow knows everything to be answered, at most. @param at index of the flow in `FlowTable.state` */
  heard(at: number): number {
    return this.reliable.requester(at / FLOW_WORDS)?.heard ?? (this.flows.state[at + FLOW.acknowledged] as number);
  }

  /** Requests of a connected queue pair begin in a flow. */
  begin(flow: number): void {
    this.overdue.begin(flow);
  }
}
