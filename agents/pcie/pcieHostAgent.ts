/**
 * The room of PCIe between one host and its NIC: the master side drives BAR accesses of software (`pcieMaster`, sequencer and
 * driver), the slave side serves DMA from host memory (`pcieSlave`), the monitor checks every transaction against the rules of
 * the bus and publishes writes and interrupts. Providers use `master`; nothing here knows verbs or a NIC kind.
 */

import type { Nic, PcieUpstream, Tlp } from '../../dut-model/nic.ts';
import { Agent } from '../../uvm/base/agent.ts';
import type { Component } from '../../uvm/base/component.ts';
import type { BlockPool } from '../../uvm/bytes/blockPool.ts';
import type { Run } from '../../uvm/run.ts';
import type { AnalysisPort } from '../../uvm/tlm/analysisPort.ts';
import type { HostMemoryPort } from './hostMemoryPort.ts';
import { PcieDriver } from './pcieDriver.ts';
import type { PcieFaultHook } from './pcieFaults.ts';
import type { CompletionItem, MsixMessage } from './pcieItems.ts';
import { PcieMaster } from './pcieMaster.ts';
import { PcieMonitor } from './pcieMonitor.ts';
import { PcieSequencer } from './pcieSequencer.ts';
import { type PcieHostSettings, resolvePcieSettings } from './pcieSettings.ts';
import { PcieSlave } from './pcieSlave.ts';
import type { PcieStatistics } from './pcieStatistics.ts';
import { tracePcie } from './pcieTrace.ts';
import { PcieWire } from './pcieWire.ts';
import type { HostTlp } from './tlpPool.ts';

/** What a PCIe host agent is built with. */
export interface PcieHostAgentOptions {
  /** Index of the host. */
  readonly host: number;
  readonly memory: HostMemoryPort;
  /** Pool of payload blocks, shared with the NIC. */
  readonly blocks: BlockPool;
  /** What differs from `DEFAULT_PCIE_SETTINGS`. */
  readonly settings?: Partial<PcieHostSettings>;
}

/**
 * The host's end of a NIC's PCIe link: master, slave and monitor, joined. The NIC sees its `upstream`. The software of
 * the host goes to the master itself; an active agent has a sequencer and a driver besides, for sequences of raw
 * accesses.
 */
export class PcieHostAgent extends Agent {
  readonly settings: PcieHostSettings;
  readonly master: PcieMaster;
  readonly slave: PcieSlave;
  readonly monitor: PcieMonitor;
  /** Null when the agent is passive, as is the driver. */
  readonly sequencer: PcieSequencer | null;
  readonly driver: PcieDriver | null;
  /** Requests as the NIC sends them. */
  readonly requests: AnalysisPort<Tlp>;
  /** Writes whose bytes have just reached host memory; MSI-X messages too, marked `interrupt`. */
  readonly writes: AnalysisPort<HostTlp>;
  /** Parts of answers to reads, just before the NIC is given them. */
  readonly completions: AnalysisPort<CompletionItem>;
  readonly interrupts: AnalysisPort<MsixMessage>;
  /** BAR accesses: writes as they reach the NIC, reads with their answer. */
  readonly barAccesses: AnalysisPort<Tlp>;
  readonly #host: number;

  /** @throws PcieUsageError for a wrong setting. */
  constructor(name: string, parent: Component | Run, options: PcieHostAgentOptions) {
    super(name, parent);
    const { host, memory, blocks } = options;
    const settings = resolvePcieSettings(options.settings);
    const wire = new PcieWire(this.run.scheduler, settings);
    const monitor = this.create(PcieMonitor, 'monitor', { host, settings });
    const master = this.create(PcieMaster, 'master', { host, blocks, settings, wire, monitor });
    this.#host = host;
    this.settings = settings;
    this.monitor = monitor;
    this.master = master;
    this.slave = this.create(PcieSlave, 'slave', { host, memory, blocks, settings, wire, monitor, master });
    this.sequencer = this.isActive ? this.create(PcieSequencer, 'sequencer', { settings }) : null;
    this.driver = this.isActive ? this.create(PcieDriver, 'driver', { master }) : null;
    this.requests = this.slave.requests;
    this.writes = this.slave.writes;
    this.completions = this.slave.completions;
    this.interrupts = this.slave.interrupts;
    this.barAccesses = this.master.barAccesses;
  }

  override connectPhase(): void {
    if (this.sequencer !== null) this.driver?.seqItemPort.connect(this.sequencer);
  }

  override startOfSimulationPhase(): void {
    tracePcie(this, this.#host);
  }

  /** Traffic so far. */
  get statistics(): PcieStatistics {
    return this.monitor.statistics;
  }

  /** Requests and accesses that have not come to their end. */
  get inFlight(): number {
    return this.slave.inFlight + this.master.inFlight;
  }

  /** What the NIC is to be connected with. */
  get upstream(): PcieUpstream {
    return this.slave;
  }

  /** Plugs the NIC in; call before the first access, next to the NIC's own `connect`. */
  attach(nic: Nic): void {
    this.master.nic = nic;
    this.slave.attach(nic);
  }

  /**
   * The NIC has been reset: accesses of software that are on their way come to nothing. Its own requests that it has sent by now are
   * carried out, and the answers reach it.
   */
  reset(): void {
    this.master.reset();
  }

  /** Has the NIC reset itself by its configuration space. @returns false where it has none */
  functionReset(): boolean {
    return this.master.functionReset();
  }

  /** Requests of the NIC that it has sent and that have not been carried out. */
  get requestsInFlight(): number {
    return this.slave.inFlight;
  }

  /** The NIC is finished, and may not use its port any more. */
  close(): void {
    this.slave.close();
    this.master.close();
  }

  /** Lets fault rules judge every DMA request; null removes them. */
  setFaults(faults: PcieFaultHook | null): void {
    this.slave.faults = faults;
  }
}
