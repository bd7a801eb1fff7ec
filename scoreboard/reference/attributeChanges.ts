import type { FlowKnowledge } from './flowKnowledge.ts';
import type { QpInfo } from '../../agents/verbs/verbsItems.ts';
import { FLOW, FLOW_BIT, FlowTable, stateOf } from './flowTable.ts';
import type { NotReadyWaits } from './notReadyWaits.ts';
import type { OverdueReturns } from './overdueReturns.ts';
import type { PathChecker } from '../../agents/wire/pathChecker.ts';
import type { Returns } from './returns.ts';
import type { RetryCounts } from './retryCounts.ts';

const NEVER = 0;
const NOT_KNOWN = 0;

/**
 * Follows what software changes of a connection in RTR, RTS and SQD (roce-transport.md 6.2): while a change is under way
 * the NIC may work by the old values or by the new ones; then by the new ones, but for answers to earlier requests.
 */
export class AttributeChanges {
  readonly #flows: FlowTable;
  readonly #paths: PathChecker;
  readonly #waits: NotReadyWaits;
  readonly #refusals: RetryCounts;
  readonly #retries: RetryCounts;
  readonly #returns: Returns;
  readonly #overdue: OverdueReturns;

  constructor(known: FlowKnowledge, paths: PathChecker) {
    this.#flows = known.flows;
    this.#paths = paths;
    this.#waits = known.waits;
    this.#refusals = known.refusals;
    this.#retries = known.retries;
    this.#returns = known.returns;
    this.#overdue = known.overdue;
  }

  /** The NIC is about to be told. */
  begin(info: QpInfo): void {
    const own = this.#flows.find(FlowTable.connected(info.host, info.qpn));
    const requests = this.#requestsOf(info, own);
    if (requests < 0) return;
    const bits = this.#flows.state[stateOf(requests)] as number;
    const timeout = (bits >> FLOW_BIT.timeoutShift) & FLOW_BIT.timeoutMask;
    const reads = (bits >> FLOW_BIT.readLimitShift) & FLOW_BIT.readLimitMask;
    const limit = info.maxRdAtomic ?? NOT_KNOWN;
    const most = reads === NOT_KNOWN || limit === NOT_KNOWN ? NOT_KNOWN : Math.max(reads, limit);
    this.#flows.setLimits(requests, shorter(timeout, info.ackTimeout), most);
    this.#refusals.change(requests, info.rnrRetry);
    this.#retries.change(requests, info.retryCnt);
    this.#returns.change(requests, info.retryCnt);
    this.#paths.change(requests, info.path);
    if (info.minRnrTimer !== undefined) this.#waits.change(own, info.minRnrTimer);
  }

  /** The NIC has taken the change, at `time` in ps. */
  end(info: QpInfo, time: number): void {
    const own = this.#flows.find(FlowTable.connected(info.host, info.qpn));
    const requests = this.#requestsOf(info, own);
    if (requests < 0) return;
    this.#flows.setLimits(requests, info.ackTimeout, info.maxRdAtomic ?? NOT_KNOWN);
    this.#refusals.changed(requests, info.rnrRetry);
    this.#retries.changed(requests, info.retryCnt);
    this.#paths.changed(requests, time);
    this.#overdue.changed(requests, time);
    this.#waits.changed(own, time);
  }

  /** Flow of the requests that a queue pair sends; -1 for one that is not, or no longer, connected. */
  #requestsOf(info: QpInfo, own: number): number {
    if (info.remoteHost < 0 || own < 0) return -1;
    const requests = this.#flows.find(FlowTable.connected(info.remoteHost, info.remoteQpn));
    return this.#flows.state[stateOf(own) + FLOW.peer] === requests ? requests : -1;
  }
}

/** The code of the shorter of two time-outs. */
function shorter(a: number, b: number): number {
  if (a === NEVER || b === NEVER) return a + b;
  return Math.min(a, b);
}
