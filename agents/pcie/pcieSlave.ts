import { aTlp } from '../../rdma/subjectParts.ts';
import type { CplStatus, Nic, PcieUpstream, Tlp } from '../../dut-model/nic.ts';
import { CPL_STATUS, TLP_KIND } from '../../dut-model/nic.ts';
import { Component } from '../../uvm/base/component.ts';
import type { BlockPool } from '../../uvm/bytes/blockPool.ts';
import { AnalysisPort, type Subscriber } from '../../uvm/tlm/analysisPort.ts';
import type { HostMemoryPort } from './hostMemoryPort.ts';
import { type PcieFaultHook, PcieVerdict } from './pcieFaults.ts';
import type { CompletionItem, MsixMessage } from './pcieItems.ts';
import type { PcieMaster } from './pcieMaster.ts';
import type { PcieMonitor, PcieReportId } from './pcieMonitor.ts';
import { PcieReads } from './pcieReads.ts';
import type { PcieHostSettings } from './pcieSettings.ts';
import type { PcieWire } from './pcieWire.ts';
import { PcieWrites } from './pcieWrites.ts';
import { type HostTlp, TLP_STATE, TlpPool } from './tlpPool.ts';
import { hexAddress } from '../../uvm/report/hexTexts.ts';

/** What a slave is built with. */
export interface PcieSlaveOptions {
  /** Index of the host, the port number of the transcript. */
  readonly host: number;
  readonly memory: HostMemoryPort;
  /** Pool of the payload blocks that requests name. */
  readonly blocks: BlockPool;
  readonly settings: PcieHostSettings;
  readonly wire: PcieWire;
  /** Told of every request, write and completion directly: a call per event is all that it costs. */
  readonly monitor: PcieMonitor;
  /** Takes the NIC's answers to BAR reads. */
  readonly master: PcieMaster;
}

/**
 * Serves the NIC's reads and writes of host memory, and is what the NIC sees of the host.
 *
 * Ordering is that of PCIe: writes take effect in the order sent; a read is answered no earlier than every write sent
 * before it has taken effect; parts of one answer come in address order; answers to different tags come in request
 * order unless the reorder knobs say otherwise. Each write and each part of an answer is one scheduler event. Memory
 * is sampled when a part arrives at the NIC.
 */
export class PcieSlave extends Component implements PcieUpstream {
  /** Requests as the NIC sends them, before anything is done with them. */
  readonly requests = new AnalysisPort<Tlp>('requests');
  /** Writes whose bytes have just reached host memory (MSI-X messages: have just been received). */
  readonly writes: AnalysisPort<HostTlp>;
  /** Parts of answers, just before the NIC is given them. */
  readonly completions: AnalysisPort<CompletionItem>;
  readonly interrupts: AnalysisPort<MsixMessage>;
  /** Asked about each request; null lets everything pass. */
  faults: PcieFaultHook | null = null;

  readonly #host: number = 0;
  readonly #settings: PcieHostSettings;
  readonly #inboundHi: number;
  readonly #monitor: PcieMonitor;
  readonly #master: PcieMaster;
  readonly #pool: TlpPool;
  readonly #wire: PcieWire;
  readonly #reads: PcieReads;
  readonly #writes: PcieWrites;
  readonly #subscribers = this.requests.subscribers;
  readonly #verdict = new PcieVerdict();

  constructor(name: string, parent: Component, options: PcieSlaveOptions) {
    super(name, parent);
    const { scheduler, bytes, transcript, random } = this.run;
    this.#host = options.host;
    this.#settings = options.settings;
    this.#inboundHi = options.settings.inboundHi;
    this.#monitor = options.monitor;
    this.#master = options.master;
    this.#wire = options.wire;
    this.#pool = new TlpPool(options.blocks, scheduler, this.fullName);
    const side = { ...options, scheduler, bytes, transcript, pool: this.#pool };
    this.#reads = new PcieReads(`${this.fullName}.reads`, side, random.fast(this.fullName, 'completions'));
    this.#writes = new PcieWrites(`${this.fullName}.writes`, side);
    this.writes = this.#writes.done;
    this.completions = this.#reads.completions;
    this.interrupts = this.#writes.interrupts;
  }

  /** What the NIC may know of the link. */
  get settings(): PcieHostSettings {
    return this.#settings;
  }

  /** Requests sent and not yet carried out. Counted when asked for, which is seldom. */
  get inFlight(): number {
    let count = 0;
    for (const { state } of this.#pool.slots) if (state === TLP_STATE.sent) count++;
    return count;
  }

  /** Says which NIC is served; called by the agent. */
  attach(nic: Nic): void {
    this.#reads.nic = nic;
  }

  /** The NIC is finished: what it sends from now on is refused. */
  close(): void {
    this.#pool.close();
  }

  /** A fresh transaction for the NIC. */
  acquire(): Tlp {
    return this.#pool.acquire();
  }

  /** Takes over a request of the NIC. */
  send(tlp: Tlp): void {
    const t = tlp as HostTlp;
    if (!this.#pool.isAcquired(t)) {
      const text = (): string =>
        this.#pool.isClosed
          ? `the NIC sent a transaction although it was finished (${describe(t)})`
          : `a transaction that is not the sender's was sent (${describe(t)})`;
      this.error('PCIE_MISUSE' satisfies PcieReportId, text, [aTlp(this.#host, t, this.run.scheduler.now)]);
      return;
    }
    t.state = TLP_STATE.sent;
    if (this.#inboundHi !== 0 && !this.#isMessage(t)) t.hi -= this.#inboundHi;
    t.sequence = this.#writes.sent;
    const ordinary = this.#monitor.request(t);
    if (!ordinary || this.faults !== null) {
      this.#sendJudged(t, ordinary);
      return;
    }
    const subscribers = this.#subscribers;
    for (let i = 0; i < subscribers.length; i++) (subscribers[i] as Subscriber<Tlp>).write(t);
    if (t.kind === TLP_KIND.memWrite) this.#writes.accept(t, 0);
    else this.#reads.accept(t, false, 0);
  }

  /** Answers a BAR read of the host. */
  complete(tlp: Tlp, status: CplStatus): void {
    this.#master.complete(tlp, status);
  }

  /** What is to be done: the fault hook's wish, or a refusal of what cannot be served at all. */
  #judge(t: HostTlp): PcieVerdict {
    const verdict = this.#verdict;
    verdict.clear();
    if (this.faults !== null) this.faults.judge(this.#host, t, verdict);
    if (t.length >>> 0 > 4096 || t.bar !== -1 || !this.#monitor.holds(t))
      verdict.status = CPL_STATUS.unsupportedRequest;
    return verdict;
  }

  /** As `send` for a request that a fault rule may change or that is out of the ordinary. */
  #sendJudged(t: HostTlp, ordinary: boolean): void {
    if (!ordinary && t.kind === TLP_KIND.memWrite && this.#isMessage(t)) t.interrupt = true;
    this.requests.write(t);
    const { status, poison, lose, delay, hold, split, pressure } = this.#judge(t);
    if (pressure > 0) this.#wire.hold(pressure);
    if (t.kind === TLP_KIND.memWrite) {
      t.poisoned ||= poison || lose || status !== CPL_STATUS.success;
      this.#writes.accept(t, delay);
    } else if (lose) {
      this.#reads.lose(t, delay);
    } else if (status !== CPL_STATUS.success) {
      t.status = status;
      t.poisoned = poison;
      this.#reads.refuse(t, delay);
    } else {
      t.split = split;
      this.#reads.accept(t, poison, delay, hold);
    }
  }

  #isMessage(t: HostTlp): boolean {
    const s = this.#settings;
    return t.hi === s.msixHi && (t.lo - s.msixLo) >>> 0 < s.msixLength;
  }
}

function describe(t: Tlp): string {
  return `${t.kind === TLP_KIND.memWrite ? 'write' : 'read'} of ${t.length} bytes at ${hexAddress(t.hi, t.lo)}`;
}
