import type { ByteStore } from '../../uvm/bytes/byteStore.ts';
import type { Transcript } from '../../uvm/bytes/transcript.ts';
import type { EventHandler, ScheduledEvent, Scheduler, SimTime } from '../../uvm/kernel/scheduler.ts';
import { AnalysisPort, type Subscriber } from '../../uvm/tlm/analysisPort.ts';
import { naturalFirst, naturalLast } from './byteEnables.ts';
import type { HostMemoryPort } from './hostMemoryPort.ts';
import { MsixMessage } from './pcieItems.ts';
import type { PcieMonitor } from './pcieMonitor.ts';
import type { PcieHostSettings } from './pcieSettings.ts';
import type { PcieSlaveSide } from './pcieSlaveSide.ts';
import { PCIE_TRANSCRIPT } from './pcieTranscript.ts';
import type { PcieWire } from './pcieWire.ts';
import { type HostTlp, TLP_STATE, type TlpPool } from './tlpPool.ts';

/**
 * The writes of one port on their way to host memory, where they take effect in the order sent: one event for each.
 *
 * Apart from the reads, so that the engine compiles the path of each by itself.
 */
export class PcieWrites implements EventHandler {
  /** Writes whose bytes have just reached host memory (MSI-X messages: have just been received). */
  readonly done = new AnalysisPort<HostTlp>('writes');
  readonly interrupts = new AnalysisPort<MsixMessage>('interrupts');
  /** Writes sent that take effect. */
  sent = 0;
  readonly fullName: string;

  readonly #host: number = 0;
  readonly #memory: HostMemoryPort;
  readonly #settings: PcieHostSettings;
  readonly #wire: PcieWire;
  readonly #monitor: PcieMonitor;
  readonly #scheduler: Scheduler;
  readonly #bytes: ByteStore;
  readonly #transcript: Transcript;
  readonly #pool: TlpPool;
  readonly #slots: readonly HostTlp[];
  readonly #subscribers = this.done.subscribers;
  readonly #message = new MsixMessage();

  /** @param name for reports of the scheduler */
  constructor(name: string, side: PcieSlaveSide) {
    this.fullName = name;
    this.#host = side.host;
    this.#memory = side.memory;
    this.#settings = side.settings;
    this.#wire = side.wire;
    this.#monitor = side.monitor;
    this.#scheduler = side.scheduler;
    this.#bytes = side.bytes;
    this.#transcript = side.transcript;
    this.#pool = side.pool;
    this.#slots = side.pool.slots;
    this.#message.host = side.host;
  }

  /** Lets a write take effect after those before it; a poisoned one never does. */
  accept(t: HostTlp, delay: SimTime): void {
    const wire = this.#wire;
    if (t.poisoned) {
      wire.up(t, t.length >>> 0 > 4096 ? 0 : t.length);
      this.#monitor.discarded();
      this.#pool.release(t);
      return;
    }
    wire.post(t, delay);
    t.sequence = ++this.sent;
    this.#scheduler.scheduleOwn(wire.lastPosted, this, t.event as ScheduledEvent);
  }

  /**
   * A write arrives. All in one function, which makes it too long for the engine to take into the loop that calls it:
   * it is compiled by itself, together with what it calls.
   */
  fire(slot: number): void {
    const t = this.#slots[slot] as HostTlp;
    const { hi, lo, length, data, firstBe, lastBe } = t;
    const { now } = this.#scheduler;
    const memory = this.#memory;
    const to = (firstBe & lastBe) === -1 && !t.interrupt ? memory.writeTo(hi, lo, length) : -1;
    t.place = to | 0;
    if (to >= 0) this.#transcript.copied(PCIE_TRANSCRIPT.write, this.#host, now, hi, lo, length, to, data);
    else {
      this.#transcript.message(PCIE_TRANSCRIPT.write, this.#host, now, hi, lo, length, data);
      // Messages are stored nowhere; byte enables may say what address and length say, and there may be no bytes.
      if (length !== 0 && !t.interrupt) {
        const natural =
          (firstBe === -1 || firstBe === naturalFirst(lo, length)) &&
          (lastBe === -1 || lastBe === naturalLast(lo, length));
        if (natural) memory.write(hi, lo, length, data);
        else this.#storeEnabled(t);
      }
    }
    t.state = TLP_STATE.delivered;
    this.#monitor.write(t);
    // The first two by themselves: the engine calls directly where it has seen one class only.
    const subscribers = this.#subscribers;
    const { length: listeners } = subscribers;
    if (listeners > 0) (subscribers[0] as Subscriber<HostTlp>).write(t);
    if (listeners > 1) (subscribers[1] as Subscriber<HostTlp>).write(t);
    for (let i = 2; i < listeners; i++) (subscribers[i] as Subscriber<HostTlp>).write(t);
    if (t.interrupt) {
      const m = this.#message;
      m.hi = hi;
      m.lo = lo;
      m.offset = (lo - this.#settings.msixLo) | 0;
      m.data = 0;
      const { u8 } = this.#bytes;
      for (let i = Math.min(4, length) - 1; i >= 0; i--) m.data = (m.data << 8) | (u8[data + i] as number);
      this.interrupts.write(m);
    }
    this.#pool.release(t);
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
}
