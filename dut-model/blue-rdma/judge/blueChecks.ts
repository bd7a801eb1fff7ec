/**
 * The judge of what is blue-rdma's own: its wire, and the rings between its NIC and its driver. It comes with the NIC's entry
 * (entry.ts), watches ports and verbs as the scoreboard does, and shares no code with NIC and driver.
 */
import type { Subject } from '../../../rdma/subject.ts';
import type { LinkAgent } from '../../../agents/link/linkAgent.ts';
import type { PcieHostAgent } from '../../../agents/pcie/pcieHostAgent.ts';
import type { VerbsMonitor } from '../../../agents/verbs/verbsMonitor.ts';
import { Component } from '../../../uvm/base/component.ts';
import { Findings } from '../../../uvm/report/findings.ts';
import { UVM_HIGH } from '../../../uvm/report/verbosity.ts';
import type { BlueReportId } from './reportIds.ts';
import { RingRules } from './ringRules.ts';
import { WireRules } from './wireRules.ts';

/** Where it connects. */
export interface BlueSurroundings {
  readonly link: LinkAgent;
  readonly hostEnvs: readonly { readonly agent: PcieHostAgent; readonly monitor: VerbsMonitor }[];
}

/** What knobs of the NIC of a host change. */
export interface BlueHabits {
  /** It reports the bitmap of a queue pair that has become idle; else only behind the last packet of each message. */
  readonly reportsWhenIdle: boolean;
}

/** Who excuses what follows from frames that the link loses or changes. */
export interface Disturbed {
  disturbed(from: number, to: number, destQpn: number): void;
  /** Who knows what of that matters to a requester that gives up. */
  countsTries(tries: { mayHaveSpoilt(host: number, qpn: number, tries: number): boolean }): void;
}

export class BlueChecks extends Component {
  readonly wire: WireRules;
  readonly rings: readonly RingRules[];
  readonly #findings = new Findings<BlueReportId, Subject>(this);
  readonly #around: BlueSurroundings;
  readonly #told: Disturbed;

  /**
   * @param told of what the link does to frames of the protocol
   * @param habitsOf of the NIC of a host
   */
  constructor(
    name: string,
    parent: Component,
    around: BlueSurroundings,
    told: Disturbed,
    habitsOf: (host: number) => BlueHabits,
  ) {
    super(name, parent);
    this.#told = told;
    this.#around = around;
    const { bytes, scheduler } = this.run;
    this.wire = new WireRules(bytes, this.#findings, scheduler, (host) => habitsOf(host).reportsWhenIdle);
    told.countsTries(this.wire);
    this.rings = around.hostEnvs.map((_, host) => new RingRules(host, bytes, this.#findings, this.wire, scheduler));
  }

  override connectPhase(): void {
    const { link, hostEnvs } = this.#around;
    link.frames.connect({ write: (frame) => this.wire.sent(frame) });
    link.fates.connect((fate) => this.wire.fated(fate, this.#told));
    link.arrivals.connect({ write: (arrival) => this.wire.arrived(arrival) });
    for (const [host, { agent, monitor }] of hostEnvs.entries()) {
      const rules = this.rings[host] as RingRules;
      monitor.observe(this.wire);
      agent.barAccesses.connect({ write: (access) => rules.access(access) });
      agent.requests.connect({ write: (request) => rules.request(request) });
      agent.completions.connect({ write: (item) => rules.answered(item) });
    }
  }

  override checkPhase(): void {
    this.wire.finish();
    this.#findings.summarise();
  }

  override preAbort(): void {
    this.#findings.summarise();
  }

  override reportPhase(): void {
    const descriptors = this.rings.reduce((sum, { judged }) => sum + judged, 0);
    this.info('BLUE_SUMMARY', () => `${this.wire.judged} frames and ${descriptors} descriptors judged`, UVM_HIGH);
  }
}
