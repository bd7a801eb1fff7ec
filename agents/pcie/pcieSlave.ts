import type { CplStatus, Nic, PcieUpstream, Tlp } from '../../dut-model/nic.ts';
import { CPL_STATUS, TLP_KIND } from '../../dut-model/nic.ts';
import { Component } from '../../uvm/base/component.ts';
import type { BlockPool } from '../../uvm/bytes/blockPool.ts';
import type { ByteStore } from '../../uvm/bytes/byteStore.ts';
import type { Transcript } from '../../uvm/bytes/transcript.ts';
import type { EventHandler, Scheduler, SimTime } from '../../uvm/kernel/scheduler.ts';
import type { FastStream } from '../../uvm/random/randomStream.ts';
import { AnalysisPort, type Subscriber } from '../../uvm/tlm/analysisPort.ts';
import { naturalFirst, naturalLast } from './byteEnables.ts';
import { type HostMemoryPort, UNWRITTEN } from './hostMemoryPort.ts';
import { type PcieFaultHook, PcieVerdict } from './pcieFaults.ts';
import { CompletionItem, MsixMessage } from './pcieItems.ts';
import type { PcieMaster } from './pcieMaster.ts';
import type { PcieMonitor } from './pcieMonitor.ts';
import type { PcieHostSettings } from './pcieSettings.ts';
import { PCIE_TRANSCRIPT } from './pcieTranscript.ts';
import type { PcieWire } from './pcieWire.ts';
import { type HostTlp, TLP_STATE, TlpPool } from './tlpPool.ts';

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
export class PcieSlave extends Component implements EventHandler, PcieUpstream {
  /** Requests as the NIC sends them, before anything is done with them. */
  readonly requests = new AnalysisPort<Tlp>('requests');
  /** Writes whose bytes have just reached host memory (MSI-X messages: have just been received). */
  readonly writes = new AnalysisPort<HostTlp>('writes');
  /** Parts of answers, just before the NIC is given them. */
  readonly completions = new AnalysisPort<CompletionItem>('completions');
  readonly interrupts = new AnalysisPort<MsixMessage>('interrupts');
  /** Most events of a run are its. */
  readonly wokenMost = true;
  /** Asked about each request; null lets everything pass. */
  faults: PcieFaultHook | null = null;
  /** The NIC that is served; set by the agent. */
  nic: Nic | null = null;

  readonly #host: number = 0;
  readonly #memory: HostMemoryPort;
  readonly #blocks: BlockPool;
  readonly #settings: PcieHostSettings;
  readonly #wire: PcieWire;
  readonly #monitor: PcieMonitor;
  readonly #master: PcieMaster;
  readonly #scheduler: Scheduler;
  readonly #bytes: ByteStore;
  readonly #transcript: Transcript;
  readonly #pool = new TlpPool();
  readonly #random: FastStream;
  readonly #verdict = new PcieVerdict();
  readonly #completion = new CompletionItem();
  readonly #message = new MsixMessage();
  readonly #disorder: boolean;
  #writesSent = 0;
  #waiting = 0;

  constructor(name: string, parent: Component, options: PcieSlaveOptions) {
    super(name, parent);
    this.#host = options.host;
    this.#memory = options.memory;
    this.#blocks = options.blocks;
    this.#settings = options.settings;
    this.#wire = options.wire;
    this.#monitor = options.monitor;
    this.#master = options.master;
    this.#scheduler = this.run.scheduler;
    this.#bytes = this.run.bytes;
    this.#transcript = this.run.transcript;
    this.#random = this.run.random.fast(this.fullName, 'completions');
    this.#disorder = options.settings.splitChance > 0 || options.settings.reorderChance > 0;
    this.#message.host = options.host;
    this.#completion.host = options.host;
  }

  /** What the NIC may know of the link. */
  get settings(): PcieHostSettings {
    return this.#settings;
  }

  /** Requests sent and not yet carried out. */
  get inFlight(): number {
    return this.#waiting;
  }

  /** A fresh transaction for the NIC. */
  acquire(): Tlp {
    return this.#pool.acquire();
  }

  /** Takes over a request of the NIC. */
  send(tlp: Tlp): void {
    const t = tlp as HostTlp;
    if (!this.#pool.isAcquired(t)) {
      this.error('PCIE_MISUSE', () => `a transaction that is not the sender's was sent (${describe(t)})`);
      return;
    }
    const isWrite = t.kind === TLP_KIND.memWrite;
    t.state = TLP_STATE.sent;
    t.sequence = this.#writesSent;
    const ordinary = this.#monitor.request(t);
    if (!ordinary && isWrite && this.#isMessage(t)) t.interrupt = true;
    if (this.requests.size > 0) this.requests.write(t);
    if (!ordinary || this.faults !== null) this.#sendJudged(t);
    else if (isWrite) this.#acceptWrite(t, 0);
    else this.#acceptRead(t, false, 0);
  }

  /** Answers a BAR read of the host. */
  complete(tlp: Tlp, status: CplStatus): void {
    this.#master.complete(tlp, status);
  }

  /** A write arrives, or a part of an answer does. */
  fire(slot: number): void {
    const t = this.#pool.slots[slot] as HostTlp;
    if (t.kind === TLP_KIND.memWrite) this.#applyWrite(t);
    else this.#answer(t);
  }

  /** What is to be done: the fault hook's wish, or a refusal of what cannot be served at all. */
  #judge(t: HostTlp): PcieVerdict {
    const verdict = this.#verdict;
    verdict.clear();
    if (this.faults !== null) this.faults.judge(this.#host, t, verdict);
    if (t.length >>> 0 > 4096 || t.bar !== -1) verdict.status = CPL_STATUS.unsupportedRequest;
    return verdict;
  }

  /** As `send` for a request that a fault rule may change or that cannot be served. */
  #sendJudged(t: HostTlp): void {
    const { status, poison, lose, delay } = this.#judge(t);
    if (t.kind === TLP_KIND.memWrite) {
      t.poisoned ||= poison || lose || status !== CPL_STATUS.success;
      this.#acceptWrite(t, delay);
    } else if (lose) {
      this.#request(t, delay);
      this.#loseRead(t);
    } else if (status !== CPL_STATUS.success) {
      t.status = status;
      t.poisoned = poison;
      this.#refuseRead(t, delay);
    } else this.#acceptRead(t, poison, delay);
  }

  /** Lets a write take effect after those before it; a poisoned one never does. */
  #acceptWrite(t: HostTlp, delay: SimTime): void {
    const wire = this.#wire;
    if (t.poisoned) {
      wire.up(t, t.length >>> 0 > 4096 ? 0 : t.length);
      this.#recycle(t);
      return;
    }
    wire.post(t, delay);
    t.sequence = ++this.#writesSent;
    this.#waiting++;
    this.#scheduler.scheduleAt(wire.lastPosted, this, t.slot);
  }

  /** Answers a read with its status and no data. */
  #refuseRead(t: HostTlp, delay: SimTime): void {
    const wire = this.#wire;
    this.#request(t, delay);
    this.#waiting++;
    t.remaining = 0;
    wire.answer(0, 0);
    this.#scheduler.scheduleAt(wire.answered, this, t.slot);
  }

  /** Serves a read. */
  #acceptRead(t: HostTlp, poison: boolean, delay: SimTime): void {
    const wire = this.#wire;
    this.#request(t, delay);
    this.#waiting++;
    t.poisoned = poison;
    t.status = CPL_STATUS.success;
    t.remaining = t.length;
    this.#choosePart(t);
    wire.answer(t.length, t.partEnd);
    const held = this.#disorder ? this.#holdBack() : 0;
    this.#scheduler.scheduleAt(wire.answered + held, this, t.slot);
  }

  /** Notes a read request and puts it on the wire. */
  #request(t: HostTlp, delay: SimTime): void {
    this.#transcript.record(PCIE_TRANSCRIPT.readRequest, this.#host, this.#scheduler.now, t.hi, t.lo, t.length);
    this.#wire.request(t, delay);
  }

  /** Sets how far the next part reaches: as far as it may, or by choice to an earlier completion boundary. */
  #choosePart(t: HostTlp): void {
    // The common case: it fits in one completion, and nothing splits it.
    if (!this.#disorder && t.length + (t.lo & 3) <= this.#settings.maxPayload) {
      t.partEnd = t.length;
      return;
    }
    const { maxPayload, readCompletionBoundary: rcb } = this.#settings;
    const at = (t.lo & 4095) + t.answered;
    const end = (t.lo & 4095) + t.length;
    let stop = end;
    if (end - (at & ~3) > maxPayload) stop = Math.floor((at + maxPayload) / rcb) * rcb;
    if (this.#disorder && this.#random.chance(this.#settings.splitChance)) {
      const cuts = Math.ceil(stop / rcb) - Math.floor(at / rcb) - 1;
      if (cuts > 0) stop = (Math.floor(at / rcb) + 1 + this.#random.below(cuts)) * rcb;
    }
    t.partEnd = stop - (t.lo & 4095);
  }

  #holdBack(): number {
    if (!this.#random.chance(this.#settings.reorderChance)) return 0;
    return this.#random.below(this.#settings.reorderWindow + 1);
  }

  #applyWrite(t: HostTlp): void {
    const { hi, lo, length, data } = t;
    const { now } = this.#scheduler;
    const usual = (t.firstBe & t.lastBe) === -1 && !t.interrupt;
    const to = usual ? this.#memory.writeTo(hi, lo, length) : -1;
    t.place = to | 0;
    if (to >= 0) this.#transcript.copied(PCIE_TRANSCRIPT.write, this.#host, now, hi, lo, length, to, data);
    else {
      this.#transcript.message(PCIE_TRANSCRIPT.write, this.#host, now, hi, lo, length, data);
      this.#storeOther(t);
    }
    this.#waiting--;
    this.#monitor.write(t);
    // A loop of its own, so that the engine knows whom it calls.
    const { subscribers } = this.writes;
    for (let i = 0; i < subscribers.length; i++) (subscribers[i] as Subscriber<HostTlp>).write(t);
    if (t.interrupt) this.#announce(t);
    this.#recycle(t);
  }

  /** Messages are stored nowhere; byte enables may say what an address and a length say, and there may be none. */
  #storeOther(t: HostTlp): void {
    if (t.length === 0 || t.interrupt) return;
    if (
      (t.firstBe === -1 || t.firstBe === naturalFirst(t.lo, t.length)) &&
      (t.lastBe === -1 || t.lastBe === naturalLast(t.lo, t.length))
    ) {
      this.#memory.write(t.hi, t.lo, t.length, t.data);
    } else this.#storeEnabled(t);
  }

  /** Enables with holes: rare and short, so byte by byte. */
  #storeEnabled(t: HostTlp): void {
    const first = t.firstBe === -1 ? naturalFirst(t.lo, t.length) : t.firstBe;
    const last = t.lastBe === -1 ? naturalLast(t.lo, t.length) : t.lastBe;
    const lead = t.lo & 3;
    const lastDword = ((lead + t.length - 1) >> 2) << 2;
    for (let i = lead; i < lead + t.length; i++) {
      const enables = i < 4 ? first : i >= lastDword ? last : 0xf;
      if ((enables >> (i & 3)) & 1) this.#memory.write(t.hi, (t.lo + i - lead) | 0, 1, t.data + i - lead);
    }
  }

  #announce(t: HostTlp): void {
    const m = this.#message;
    m.hi = t.hi;
    m.lo = t.lo;
    m.offset = (t.lo - this.#settings.msixLo) | 0;
    const u8 = this.#bytes.u8;
    m.data = 0;
    for (let i = Math.min(4, t.length) - 1; i >= 0; i--) m.data = (m.data << 8) | (u8[t.data + i] as number);
    this.interrupts.write(m);
  }

  /** The next part of an answer, nearly always the whole of it. */
  #answer(t: HostTlp): void {
    const { length } = t;
    if (t.answered > 0 || t.partEnd < length || t.status !== CPL_STATUS.success || t.poisoned) {
      this.#answerPart(t);
      return;
    }
    t.remaining = 0;
    this.#sample(PCIE_TRANSCRIPT.completion, t.hi, t.lo, length, t.data);
    this.#waiting--;
    this.#monitor.completion(t, 0, length);
    if (this.completions.size > 0) this.#publish(t, 0, length);
    (this.nic as Nic).completion(t, 0, length);
    this.#recycle(t);
  }

  /** As `answer`, of an answer in parts or one that is marked as wrong. */
  #answerPart(t: HostTlp): void {
    const from = t.answered;
    const served = t.status === CPL_STATUS.success;
    const count = served ? t.partEnd - from : 0;
    const left = served ? t.length - t.partEnd : 0;
    t.answered = from + count;
    t.remaining = left;
    const kind = PCIE_TRANSCRIPT.completion | (t.status << 8) | (t.poisoned ? 1 << 7 : 0);
    this.#sample(kind, t.hi, (t.lo + from) | 0, count, t.data + from);
    this.#monitor.completion(t, from, count);
    if (this.completions.size > 0) this.#publish(t, from, count);
    if (left > 0) this.#scheduleNext(t);
    else this.#waiting--;
    (this.nic as Nic).completion(t, from, count);
    if (left === 0) this.#recycle(t);
  }

  /** Takes the bytes of an answer from memory, and notes them. */
  #sample(kind: number, hi: number, lo: number, count: number, data: number): void {
    const memory = this.#memory;
    const transcript = this.#transcript;
    const { now } = this.#scheduler;
    const source = count > 0 ? memory.readFrom(hi, lo, count) : -1;
    if (source >= 0) transcript.copied(kind, this.#host, now, hi, lo, count, data, source);
    else if (source === UNWRITTEN) {
      transcript.made(kind, this.#host, now, hi, lo, count, data, memory.pageKey(hi, lo >>> 12), lo & 4095);
    } else {
      if (count > 0) memory.read(hi, lo, count, data);
      transcript.message(kind, this.#host, now, hi, lo, count, data);
    }
  }

  #publish(t: HostTlp, from: number, count: number): void {
    const item = this.#completion;
    item.tlp = t;
    item.from = from;
    item.count = count;
    this.completions.write(item);
  }

  #scheduleNext(t: HostTlp): void {
    const from = t.partEnd;
    this.#choosePart(t);
    const held = this.#disorder ? this.#holdBack() : 0;
    this.#scheduler.schedule(this.#wire.transferTime(t.partEnd - from) + held, this, t.slot);
  }

  /** The answer never comes. The NIC may give the tag up, so the transaction stays out of the pool for good. */
  #loseRead(t: HostTlp): void {
    const item = this.#completion;
    this.#monitor.lost(t);
    item.lost = true;
    this.#publish(t, 0, 0);
    item.lost = false;
  }

  #recycle(t: HostTlp): void {
    if (t.block >= 0) this.#blocks.release(t.block);
    this.#pool.release(t);
  }

  #isMessage(t: HostTlp): boolean {
    const s = this.#settings;
    return t.hi === s.msixHi && (t.lo - s.msixLo) >>> 0 < s.msixLength;
  }
}

function describe(t: Tlp): string {
  const address = `0x${(t.hi >>> 0).toString(16)}_${(t.lo >>> 0).toString(16).padStart(8, '0')}`;
  return `${t.kind === TLP_KIND.memWrite ? 'write' : 'read'} of ${t.length} bytes at ${address}`;
}
