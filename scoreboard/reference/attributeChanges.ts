import type { FlowKnowledge } from './flowKnowledge.ts';
import type { QpInfo } from '../../agents/verbs/verbsItems.ts';
import { FLOW, FlowTable, stateOf } from './flowTable.ts';
import type { PathChecker } from '../../agents/wire/pathChecker.ts';

/**
 * Follows what software changes of a connection in RTR, RTS and SQD (roce-transport.md 6.2): while a change is under way
 * the NIC may work by the old values or by the new ones; then by the new ones, but for answers to earlier requests.
 */
export class AttributeChanges {
  readonly #known: FlowKnowledge;
  readonly #flows: FlowTable;
  readonly #paths: PathChecker;

  constructor(known: FlowKnowledge, paths: PathChecker) {
    this.#known = known;
    this.#flows = known.flows;
    this.#paths = paths;
  }

  /** The NIC is about to be told, at `time` in ps. */
  begin(info: QpInfo, time: number): void {
    const own = this.#flows.find(FlowTable.connected(info.host, info.qpn));
    const requests = this.#requestsOf(info, own);
    if (requests < 0) return;
    this.#known.requesters.change(requests, info, time);
    this.#known.times.change(own, info.minRnrTimer, time);
    this.#paths.change(requests, info.path, time);
  }

  /** The NIC has taken the change, at `time` in ps, or has refused it: what `info` says holds. */
  end(info: QpInfo, time: number): void {
    const own = this.#flows.find(FlowTable.connected(info.host, info.qpn));
    const requests = this.#requestsOf(info, own);
    if (requests < 0) return;
    this.#known.overdue.changed(requests);
    this.#known.requesters.changed(requests, info, time);
    this.#known.times.changed(own, info.minRnrTimer, time);
    this.#paths.changed(requests, info.path, time);
  }

  /** Flow of the requests that a queue pair sends; -1 for one that is not, or no longer, connected. */
  #requestsOf(info: QpInfo, own: number): number {
    if (info.remoteHost < 0 || own < 0) return -1;
    const requests = this.#flows.find(FlowTable.connected(info.remoteHost, info.remoteQpn));
    return this.#flows.state[stateOf(own) + FLOW.peer] === requests ? requests : -1;
  }
}
