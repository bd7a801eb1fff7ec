import { CPL_STATUS, type Nic } from '../../dut-model/nic.ts';
import type { ByteStore } from '../../uvm/bytes/byteStore.ts';
import type { Transcript } from '../../uvm/bytes/transcript.ts';
import type { EventHandler, ScheduledEvent, Scheduler, SimTime } from '../../uvm/kernel/scheduler.ts';
import type { FastStream } from '../../uvm/random/randomStream.ts';
import { AnalysisPort } from '../../uvm/tlm/analysisPort.ts';
import { type HostMemoryPort, UNWRITTEN } from './hostMemoryPort.ts';
import { CompletionItem } from './pcieItems.ts';
import type { PcieMonitor } from './pcieMonitor.ts';
import type { PcieHostSettings } from './pcieSettings.ts';
import type { PcieSlaveSide } from './pcieSlaveSide.ts';
import { PCIE_TRANSCRIPT } from './pcieTranscript.ts';
import type { PcieWire } from './pcieWire.ts';
import { type HostTlp, TLP_STATE, type TlpPool } from './tlpPool.ts';

/**
 * The reads of one port and their answers: one event for each part of an answer, when it arrives at the NIC. Memory is
 * sampled then.
 */
export class PcieReads implements EventHandler {
  /** Parts of answers, just before the NIC is given them. */
  readonly completions = new AnalysisPort<CompletionItem>('completions');
  /** The NIC that is served. */
  nic: Nic | null = null;
  readonly fullName: string;

  readonly #host: number = 0;
  readonly #memory: HostMemoryPort;
  readonly #settings: PcieHostSettings;
  readonly #maxPayload: number = 0;
  readonly #wire: PcieWire;
  readonly #monitor: PcieMonitor;
  readonly #scheduler: Scheduler;
  readonly #bytes: ByteStore;
  readonly #transcript: Transcript;
  readonly #pool: TlpPool;
  readonly #slots: readonly HostTlp[];
  readonly #random: FastStream;
  readonly #disorder: boolean;
  readonly #subscribers = this.completions.subscribers;
  readonly #item = new CompletionItem();

  /**
   * @param name for reports of the scheduler
   * @param random draws where answers are split and which are held back
   */
  constructor(name: string, side: PcieSlaveSide, random: FastStream) {
    this.fullName = name;
    this.#host = side.host;
    this.#memory = side.memory;
    this.#settings = side.settings;
    this.#maxPayload = side.settings.maxPayload;
    this.#wire = side.wire;
    this.#monitor = side.monitor;
    this.#scheduler = side.scheduler;
    this.#bytes = side.bytes;
    this.#transcript = side.transcript;
    this.#pool = side.pool;
    this.#slots = side.pool.slots;
    this.#random = random;
    this.#disorder = side.settings.splitChance > 0 || side.settings.reorderChance > 0;
    this.#item.host = side.host;
  }

  /** Serves a read. @param hold how much later than the wire allows it is answered, while others overtake it, ps */
  accept(t: HostTlp, poison: boolean, delay: SimTime, hold: SimTime = 0): void {
    const wire = this.#wire;
    this.#request(t, delay);
    t.poisoned = poison;
    t.status = CPL_STATUS.success;
    t.remaining = t.length;
    this.#choosePart(t);
    wire.answer(t.length, t.partEnd);
    const held = hold + (this.#disorder ? this.#holdBack() : 0);
    this.#scheduler.scheduleOwn(wire.answered + held, this, t.event as ScheduledEvent);
  }

  /** Answers a read with its status and no data. */
  refuse(t: HostTlp, delay: SimTime): void {
    const wire = this.#wire;
    this.#request(t, delay);
    t.remaining = 0;
    wire.answer(0, 0);
    this.#scheduler.scheduleOwn(wire.answered, this, t.event as ScheduledEvent);
  }

  /** The answer never comes. The NIC may give the tag up, so the transaction stays out of the pool for good. */
  lose(t: HostTlp, delay: SimTime): void {
    const item = this.#item;
    this.#request(t, delay);
    t.state = TLP_STATE.lost;
    this.#monitor.lost(t);
    item.lost = true;
    this.#publish(t, 0, 0);
    item.lost = false;
  }

  /**
   * The next part of an answer arrives, nearly always the whole of it. All in one function, which makes it too long for
   * the engine to take into the loop that calls it: it is compiled by itself, together with what it calls.
   */
  fire(slot: number): void {
    const t = this.#slots[slot] as HostTlp;
    const { hi, status } = t;
    const from = t.answered;
    const served = status === CPL_STATUS.success;
    const count = served ? t.partEnd - from : 0;
    const left = served ? t.length - t.partEnd : 0;
    const lo = (t.lo + from) | 0;
    const data = (t.data + from) | 0;
    t.answered = from + count;
    t.remaining = left;
    const kind = PCIE_TRANSCRIPT.completion | (status << 8) | (t.poisoned ? 1 << 7 : 0);
    const memory = this.#memory;
    const transcript = this.#transcript;
    const { now } = this.#scheduler;
    const source = count > 0 && !t.poisoned ? memory.readFrom(hi, lo, count) : -1;
    if (source >= 0) transcript.copied(kind, this.#host, now, hi, lo, count, data, source);
    else if (source === UNWRITTEN) {
      transcript.made(kind, this.#host, now, hi, lo, count, data, memory.pageKey(hi, lo >>> 12), lo & 4095);
    } else {
      if (count > 0) memory.read(hi, lo, count, data);
      if (t.poisoned) this.#spoil(data, count);
      transcript.message(kind, this.#host, now, hi, lo, count, data);
    }
    this.#monitor.completion(t, from, count);
    if (this.#subscribers.length > 0) this.#publish(t, from, count);
    if (left > 0) this.#scheduleNext(t);
    else t.state = TLP_STATE.delivered;
    (this.nic as Nic).completion(t, from, count);
    if (left === 0) this.#pool.release(t);
  }

  /** Poisoned data are wrong in every byte, so that what is made of them shows. */
  #spoil(data: number, count: number): void {
    const { u8 } = this.#bytes;
    for (let i = data; i < data + count; i++) u8[i] = ~(u8[i] as number);
  }

  /** Notes a read request and puts it on the wire. */
  #request(t: HostTlp, delay: SimTime): void {
    this.#transcript.record(PCIE_TRANSCRIPT.readRequest, this.#host, this.#scheduler.now, t.hi, t.lo, t.length);
    this.#wire.request(t, delay);
  }

  /** Sets how far the next part reaches: as far as it may, or by choice to an earlier completion boundary. */
  #choosePart(t: HostTlp): void {
    // The common case: it fits in one completion, and nothing splits it.
    if (!this.#disorder && !t.split && t.length + (t.lo & 3) <= this.#maxPayload) {
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
    const boundary = (Math.floor(at / rcb) + 1) * rcb;
    if (t.split && boundary < stop) stop = boundary;
    t.partEnd = stop - (t.lo & 4095);
  }

  #holdBack(): number {
    if (!this.#random.chance(this.#settings.reorderChance)) return 0;
    return this.#random.below(this.#settings.reorderWindow + 1);
  }

  #publish(t: HostTlp, from: number, count: number): void {
    const item = this.#item;
    item.tlp = t;
    item.from = from;
    item.count = count;
    this.completions.write(item);
  }

  #scheduleNext(t: HostTlp): void {
    const from = t.partEnd;
    this.#choosePart(t);
    const held = this.#disorder ? this.#holdBack() : 0;
    const arrival = this.#scheduler.now + this.#wire.transferTime(t.partEnd - from) + held;
    this.#scheduler.scheduleOwn(arrival, this, t.event as ScheduledEvent);
  }
}
