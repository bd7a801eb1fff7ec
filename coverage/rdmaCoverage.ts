/**
 * Functional coverage of RDMA: connects its covergroups with the agents of a system.
 *
 *   verbs (VerbsObserver)      ─► verbs/verbsCoverage   requests, completions, states, queues, regions, commands
 *   packets (WireMonitor)      ─► wire/wireCoverage     packets, PSNs, acknowledgements, retransmissions, faults of the link
 *   transactions (PcieAgent)   ─► pcie/pcieCoverage     DMA, answers, BAR accesses, interrupts
 *
 * Each listens where the scoreboard listens, keeps what it needs to know by itself, and asks neither the scoreboard nor
 * the NIC. A covergroup is a constant of a `*Groups.ts` file; what samples it stands beside. What every request passes is
 * noted in a backlog and sampled later (`backlog.ts`).
 */

import { Component } from '../uvm/base/component.ts';
import { Backlog } from './backlog.ts';
import type { ObservedSystem } from './observed.ts';
import { ContextTraffic } from './pcie/contextTraffic.ts';
import { PcieCoverage } from './pcie/pcieCoverage.ts';
import { VerbsCoverage } from './verbs/verbsCoverage.ts';
import { LinkTraffic } from './wire/linkTraffic.ts';
import { PortCoverage } from './wire/portCoverage.ts';
import { WireCoverage } from './wire/wireCoverage.ts';

export class RdmaCoverage extends Component {
  readonly #system: ObservedSystem;
  readonly #verbs: VerbsCoverage;
  readonly #wire: WireCoverage;
  readonly #ports: readonly PcieCoverage[];
  readonly #nicPorts: PortCoverage;

  /** @param system the environment, of which the agents are there already */
  constructor(name: string, parent: Component, system: ObservedSystem) {
    super(name, parent);
    const { coverage, scheduler } = this.run;
    const { hostEnvs, link } = system;
    const traffic = new LinkTraffic(link, scheduler);
    // One for both: packets and work are told in the order in which they were seen.
    const backlog = new Backlog();
    coverage.beforeHits(() => backlog.work());
    this.#system = system;
    this.#verbs = new VerbsCoverage(coverage, hostEnvs.length, traffic, backlog);
    traffic.pairs = this.#verbs.pairs;
    const contexts = hostEnvs.map(() => new ContextTraffic(scheduler));
    this.#wire = new WireCoverage(coverage, contexts, this.#verbs.pairs, backlog);
    this.#ports = hostEnvs.map(({ agent }, i) => new PcieCoverage(coverage, agent, contexts[i] as ContextTraffic));
    this.#nicPorts = new PortCoverage(
      coverage,
      hostEnvs.map(({ kind }) => kind),
    );
  }

  override connectPhase(): void {
    const { hostEnvs, monitor } = this.#system;
    for (const [i, { host, agent, monitor: verbs }] of hostEnvs.entries()) {
      const port = this.#ports[i] as PcieCoverage;
      verbs.observe(this.#verbs);
      verbs.observe(port);
      agent.requests.connect((t) => port.request(t));
      agent.completions.connect((item) => port.answerPart(item));
      agent.interrupts.connect((message) => port.message(message));
      agent.barAccesses.connect((t) => {
        port.barAccess(t);
        this.#verbs.doorbell(host);
      });
    }
    monitor?.packets.connect(this.#wire);
    if (this.#nicPorts.isNeeded) monitor?.packets.connect(this.#nicPorts);
    monitor?.fates.connect((fate) => this.#wire.fated(fate));
  }

  override startOfSimulationPhase(): void {
    for (const port of this.#ports) port.begin();
  }

  override extractPhase(): void {
    this.#verbs.conclude();
  }
}
