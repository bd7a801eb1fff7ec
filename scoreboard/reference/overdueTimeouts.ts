import { formatTime } from '../../uvm/kernel/time.ts';
import type { AckTimer } from './ackTimer.ts';
import type { DecodedPacket } from '../../agents/wire/decodedPacket.ts';
import { FLOW, FLOW_WORDS, type FlowTable } from './flowTable.ts';
import type { HeardFrames } from './heardFrames.ts';
import type { Requesters } from './requesters.ts';
import type { Profiles } from '../model/profiles.ts';
import type { RequesterReference } from './reliable/requesterReference.ts';
import type { RuleReporter } from '../../agents/wire/ruleReporter.ts';
import { RULE } from '../../agents/wire/transportRules.ts';

/** What there is to be known of flows. */
interface Flows {
  readonly profiles: Profiles;
  readonly flows: FlowTable;
  readonly timer: AckTimer;
  readonly requesters: Requesters;
}

/**
 * Checks that requesters do not wait too long before they go back for want of an answer (roce-transport.md 3.8). A busy NIC may be late with
 * what it sends: only one that was at rest after the latest moment is judged, and that without a NAK to wait for.
 */
export class OverdueTimeouts {
  readonly #flows: FlowTable;
  readonly #timer: AckTimer;
  readonly #report: RuleReporter;
  readonly #profiles: Profiles;
  readonly #requesters: Requesters;
  /** Flows whose timer was running when their latest change of a time-out ended: it may still run by the old one. */
  readonly #running = new Set<number>();

  constructor(known: Flows, report: RuleReporter) {
    this.#flows = known.flows;
    this.#timer = known.timer;
    this.#requesters = known.requesters;
    this.#report = report;
    this.#profiles = known.profiles;
  }

  /** The flow begins anew. */
  begin(flow: number): void {
    if (this.#running.size > 0) this.#running.delete(flow);
  }

  /** A change of attributes ends, perhaps of the time-out. */
  changed(flow: number): void {
    if (!this.#requesters.of(flow).ackTimeout.isOpen) return;
    const s = this.#flows.state;
    const at = flow * FLOW_WORDS;
    if (s[at + FLOW.acknowledged] !== s[at + FLOW.top]) this.#running.add(flow);
    else this.#running.delete(flow);
  }

  /** A packet with which its requester goes back, and nothing that has arrived asks for it. `ports` knows what has come to the hosts. */
  check(p: DecodedPacket, at: number, requester: RequesterReference, ports: HeardFrames): void {
    if (p.psn !== requester.heard) return;
    const timeout = this.#timer.shortest(at);
    const since = this.#movedAt(at, requester);
    if (since < 0 || timeout === Number.POSITIVE_INFINITY) return;
    const [, slack] = this.#profiles.of(p.host).choices.ackTimer;
    const latest = slack * timeout;
    if (!ports.hasIdled(p.host, since, latest)) return;
    const waited = `${formatTime(p.handedOver - since)} after its connection moved last`;
    const right = `a time-out of ${formatTime(timeout)} expires after ${formatTime(latest)} at the latest`;
    this.#report.broken(RULE.overdue, p, `is sent again ${waited}; ${right}`);
  }

  /** When the connection was last given a reason to start its timer, ps; -1 where that is not known. */
  #movedAt(at: number, { heardAt, waitsUntil }: RequesterReference): number {
    const sent = this.#timer.lastSentAt(at);
    if (sent < 0 || this.#mayRunByOther(at / FLOW_WORDS, heardAt)) return -1;
    const moved = Math.max(sent, heardAt);
    // A busy NIC begins to wait some time after it was refused; an answer to that does not have to end it.
    return waitsUntil > moved ? -1 : moved;
  }

  /** Whether a timer that was started at `since` (ps) or later may run by another time-out than that of now. */
  #mayRunByOther(flow: number, since: number): boolean {
    return this.#running.has(flow) && this.#requesters.of(flow).ackTimeout.every(since).length > 1;
  }
}
