/**
 * One host: PCIe agent, memory, address map, provider, and the host API that sequences use.
 */

import { DdrAgent } from '../agents/ddr/ddrAgent.ts';
import type { CardGeometry } from '../agents/ddr/cardGeometry.ts';
import { aHost } from '../rdma/subjectParts.ts';
import type { Subject } from '../rdma/subject.ts';
import { PcieHostAgent } from '../agents/pcie/pcieHostAgent.ts';
import type { PcieHostSettings } from '../agents/pcie/pcieSettings.ts';
import type { Nic, NicKnobs } from '../dut-model/nic.ts';
import { Component } from '../uvm/base/component.ts';
import type { BlockPool } from '../uvm/bytes/blockPool.ts';
import type { Run } from '../uvm/run.ts';
import type { AddressMap, MapMode, AddressLayout } from './memory/addressMap.ts';
import type { DomainChoice } from './memory/memoryDomain.ts';
import type { HostApi } from './verbs/hostApi.ts';
import { HostMemory } from './memory/hostMemory.ts';
import { VerbsMonitor } from '../agents/verbs/verbsMonitor.ts';
import { MappedPages } from './memory/mappedPages.ts';
import type { DeviceLimits } from './deviceLimits.ts';
import type { CqIndices } from './settings/cqIndices.ts';
import type { FirstNumbers } from './settings/firstNumbers.ts';
import type { NetAddresses } from './ports/netAddress.ts';
import type { ProviderBuilder } from './providers/provider.ts';
import type { SharedParts } from './providers/sharedParts.ts';
import type { EnvReportId } from './reportIds.ts';
import { counted } from '../uvm/report/counted.ts';
import { Findings } from '../uvm/report/findings.ts';
import { traceHost } from './trace/hostTrace.ts';
import { VerbsHost } from './verbs/verbsHost.ts';

/** What a host is built with. */
export interface HostEnvOptions {
  readonly host: number;
  readonly hosts: number;
  readonly processes: number;
  readonly blocks: BlockPool;
  /** Of the kind of NIC: where its software puts things, and what a run is held against. */
  readonly kind: {
    readonly layout: AddressLayout;
    readonly limits: DeviceLimits;
    readonly cardMemory?: (knobs: NicKnobs) => CardGeometry;
    readonly inboundHi?: (knobs: NicKnobs) => number;
  };
  readonly pages: MapMode;
  /** Where the data of a queue pair begin in its areas, bytes. */
  readonly dataOffset: number;
  readonly domainOf: DomainChoice;
  readonly firstNumbers: FirstNumbers;
  readonly cqIndices: CqIndices;
  readonly addresses: NetAddresses;
  readonly pcie: Partial<PcieHostSettings>;
  readonly provider: ProviderBuilder;
  /** With the other hosts of the environment. */
  readonly shared: SharedParts;
  /** Of the NIC: its software may have some too. Default none. */
  readonly knobs?: NicKnobs;
}

export class HostEnv extends Component {
  readonly host: number;
  /** Of its NIC. */
  readonly kind: HostEnvOptions['kind'];
  readonly memory: HostMemory;
  readonly map: AddressMap;
  readonly agent: PcieHostAgent;
  /** Chips on the card; null where the NIC has none. */
  readonly ddr: DdrAgent | null;
  /** Tells what happens at the verbs interface. */
  readonly monitor = new VerbsMonitor();
  /** The host API with what the environment may do besides. */
  readonly verbs: VerbsHost;
  readonly #findings = new Findings<EnvReportId, Subject>(this);

  constructor(name: string, parent: Component | Run, options: HostEnvOptions) {
    super(name, parent);
    const {
      host,
      hosts,
      processes,
      blocks,
      kind,
      pages,
      dataOffset,
      domainOf,
      firstNumbers,
      cqIndices,
      addresses,
      pcie,
      provider,
      shared,
      knobs = {},
    } = options;
    const { run } = this;
    const key = (purpose: string): number => run.random.key(this.fullName, purpose);
    this.host = host;
    this.kind = kind;
    this.memory = new HostMemory(run.bytes, key('memory'));
    this.map = kind.layout.map(key('pages'), pages);
    const settings = { ...pcie, inboundHi: kind.inboundHi?.(knobs) ?? 0 };
    this.agent = this.create(PcieHostAgent, 'pcie', { host, memory: this.memory, blocks, settings });
    const geometry = kind.cardMemory?.(knobs);
    this.ddr = geometry === undefined ? null : this.create(DdrAgent, 'ddr', { host, memory: this.memory, geometry });
    const surroundings = { bytes: run.bytes, memory: this.memory, map: this.map, bus: this.agent.master };
    this.verbs = new VerbsHost({
      ...surroundings,
      host,
      hosts,
      processes,
      limits: kind.limits,
      ...(this.ddr === null ? {} : { bankTraffic: this.ddr.traffic }),
      dataOffset,
      domainOf: (qp, receive) => domainOf(host, qp.ordinal, receive),
      firstNumbers,
      cqIndices,
      addresses,
      scheduler: run.scheduler,
      monitor: this.monitor,
      processManager: run.processes,
      random: (purpose) => run.random.fast(this.fullName, `provider ${purpose}`),
      shared: (name, make) => shared.get(name, make),
      key: key('protection domains'),
      provider: (side) => provider(side, knobs),
      sequencer: this.agent.sequencer,
      error: (id, text, ...about) => {
        const [first = aHost(host), ...others] = about;
        this.#findings.error(id, typeof text === 'string' ? () => text : text, [first, ...others]);
      },
    });
    const mapped = new MappedPages(this.map);
    this.monitor.observe(mapped);
    this.agent.monitor.readable = mapped;
    this.agent.interrupts.connect((message) => this.verbs.provider.interrupt(message));
  }

  /** What sequences use. */
  get api(): HostApi {
    return this.verbs;
  }

  /** Accesses under way, and what its provider has begun. */
  get inFlight(): number {
    return this.agent.inFlight + (this.verbs.provider.inFlight ?? 0);
  }

  /** Plugs the NIC in. */
  attach(nic: Nic): void {
    this.agent.attach(nic);
  }

  /**
   * Watches what the NIC writes, so that completions are seen the moment they are in memory. Connected by whoever
   * builds the host, after everybody who has to see a write before the completion that it may carry.
   */
  watchWrites(): void {
    this.agent.writes.connect(this.verbs.provider);
  }

  override startOfSimulationPhase(): void {
    traceHost(this);
  }

  override checkPhase(): void {
    this.#findings.summarise();
    const { qps, cqs, mrs } = this.verbs.objects.counts;
    if (qps + cqs + mrs === 0) return;
    this.info(
      'HCA_PLAN',
      `left open: ${counted(qps, 'queue pair')}, ${counted(cqs, 'completion queue')}, ${counted(mrs, 'region')}`,
    );
  }

  override preAbort(): void {
    this.#findings.summarise();
  }
}
