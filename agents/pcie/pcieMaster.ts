import { aBarAccess } from '../../rdma/subjectParts.ts';
import type { Subject } from '../../rdma/subject.ts';
import { CPL_STATUS, type CplStatus, type Nic, TLP_KIND, type Tlp } from '../../dut-model/nic.ts';
import { Component } from '../../uvm/base/component.ts';
import type { BlockPool } from '../../uvm/bytes/blockPool.ts';
import type { ByteStore } from '../../uvm/bytes/byteStore.ts';
import type { Transcript } from '../../uvm/bytes/transcript.ts';
import { delay, type Proc } from '../../uvm/kernel/process.ts';
import type { EventHandler, Scheduler } from '../../uvm/kernel/scheduler.ts';
import { formatTime } from '../../uvm/kernel/time.ts';
import { AnalysisPort } from '../../uvm/tlm/analysisPort.ts';
import { checkAccess, checkMemoryAccess } from './barChecks.ts';
import { BarRead, type BarReader } from './barRead.ts';
import { CpuThread } from './root/cpuThread.ts';
import type { PciAccess } from './root/pciAccess.ts';
import { type ConfigAccess, deviceControl, type FoundBar, isEnumerable, RootComplex } from './root/rootComplex.ts';
import type { PcieMonitor, PcieReportId } from './pcieMonitor.ts';
import type { PcieHostSettings } from './pcieSettings.ts';
import { PCIE_TRANSCRIPT } from './pcieTranscript.ts';
import type { PcieWire } from './pcieWire.ts';
import { PostedWrites } from './postedWrites.ts';
import { HostTlp, TLP_STATE, TlpPool } from './tlpPool.ts';
import { Findings } from '../../uvm/report/findings.ts';
import { hex } from '../../uvm/report/hexTexts.ts';
import { TWO_32 } from '../../uvm/bytes/words.ts';

/** What a master is built with. */
export interface PcieMasterOptions {
  /** Index of the host, the port number of the transcript. */
  readonly host: number;
  /** Pool of blocks for the data of long accesses. */
  readonly blocks: BlockPool;
  readonly settings: PcieHostSettings;
  readonly wire: PcieWire;
  readonly monitor: PcieMonitor;
}

/** Bytes of the data that a transaction has room for by itself. */
const LINE_BYTES = 64;
/** Event arguments: the time-out of BAR reads, and the arrival of the oldest short write. Others are slots. */
const TIMER = -1;
const POSTED = -2;
/** Longest time for which a write of a thread stays at the head of its queue, ps. */
const POSTED_WINDOW = 300_000;
/** Most words of a short write, a doorbell. */
const SHORT_WORDS = 2;
/** Bit of the device control register that asks for a function-level reset. */
const INITIATE_FLR = 0x8000;
/** What a processor sees when a read of a device fails. */
const ALL_ONES = 0xffff_ffff;

/**
 * Carries out the host's accesses to the NIC's BARs. Writes are posted; accesses reach the NIC in the order in which
 * they were made; the answer to a read comes after every DMA write that the NIC sent before the answer.
 */
export class PcieMaster extends Component implements EventHandler, PciAccess {
  /** Accesses when they are complete: writes as they reach the NIC, reads with their answer at `data`. */
  readonly barAccesses = new AnalysisPort<Tlp>('barAccesses');
  /** The bridge of the host; null in front of a NIC without configuration space, whose BARs are named by their numbers. */
  root: RootComplex | null = null;

  #nic: Nic | null = null;

  readonly #host: number = 0;
  readonly #blocks: BlockPool;
  readonly #settings: PcieHostSettings;
  readonly #wire: PcieWire;
  readonly #monitor: PcieMonitor;
  readonly #scheduler: Scheduler;
  readonly #bytes: ByteStore;
  readonly #transcript: Transcript;
  readonly #findings = new Findings<PcieReportId, Subject>(this);
  readonly #pool: TlpPool;
  readonly #posted = new PostedWrites();
  /** Short writes reach the NIC in this, one after the other. */
  readonly #short = new HostTlp(POSTED);
  readonly #subscribers = this.barAccesses.subscribers;
  /** Reads from the oldest one without an answer on, linked by `next`; some of them may have been answered. */
  #oldest: BarRead | null = null;
  #newest: BarRead | null = null;
  #timerSet = false;
  readonly #threads: CpuThread[] = [];
  /** Reads that nobody waits for any more and that the NIC may still answer. */
  #abandoned = 0;
  /** Short writes, the oldest ones, that were on their way when the NIC was reset. */
  #overtaken = 0;

  constructor(name: string, parent: Component, options: PcieMasterOptions) {
    super(name, parent);
    this.#host = options.host;
    this.#blocks = options.blocks;
    this.#pool = new TlpPool(options.blocks, this.run.scheduler, this.fullName);
    this.#settings = options.settings;
    this.#wire = options.wire;
    this.#monitor = options.monitor;
    this.#scheduler = this.run.scheduler;
    this.#bytes = this.run.bytes;
    this.#transcript = this.run.transcript;
    this.#short.kind = TLP_KIND.memWrite;
    this.#short.data = this.#bytes.alloc(LINE_BYTES, LINE_BYTES);
  }

  /** The NIC that is accessed; set by the agent. */
  set nic(nic: Nic | null) {
    this.#nic = nic;
    this.root = isEnumerable(nic) ? new RootComplex(this.run.random.fast(this.fullName, 'bus addresses')) : null;
  }

  get bars(): readonly FoundBar[] {
    return this.root?.bars ?? [];
  }

  /** Finds the BARs of a NIC that has a configuration space, sizes them, and gives each its place. */
  *enumerate(): Proc<void> {
    if (this.root !== null) yield* this.#configure(this.root.enumerate());
  }

  /** Gives its BARs other places: writes that are on the wire one after the other, so that no other access comes between. */
  *relocate(): Proc<void> {
    const { root } = this;
    if (root === null) return;
    yield* delay(this.#wire.access(4, root.writesToRelocate) - this.#scheduler.now);
    for (const access of root.relocate()) this.#configNow(access);
    yield* delay(this.#settings.upLatency);
  }

  /** Reads a dword of the configuration space; all ones where there is none. */
  *configRead(register: number): Proc<number> {
    return yield* this.#config({ register });
  }

  /** A function-level reset, asked for by the configuration space: at once. @returns false for a NIC without one */
  functionReset(): boolean {
    const nic = this.#nic;
    if (!isEnumerable(nic)) return false;
    const control = deviceControl(nic);
    if (control === undefined) return false;
    nic.configWrite(control, INITIATE_FLR);
    return true;
  }

  override checkPhase(): void {
    this.#findings.summarise();
  }

  override preAbort(): void {
    this.#findings.summarise();
  }

  /** Accesses that have not come to their end, reads that were given up apart. */
  get inFlight(): number {
    return this.#pool.inUse - this.#abandoned + this.#posted.size;
  }

  /**
   * Posts one write of 32-bit words, each in little-endian byte order.
   * @throws PcieUsageError when the offset is no multiple of 4, or the write is too long or crosses 4 KiB
   */
  barWrite(bar: number, offset: number, words: readonly number[]): void {
    const count = words.length;
    if (count > 0 && count <= SHORT_WORDS) {
      this.#postShort(bar, offset, 4 * count, words[0] as number, words[count - 1] as number);
      return;
    }
    const t = this.#newWrite(bar, offset, count * 4);
    const i32 = this.#bytes.i32;
    for (let i = 0; i < count; i++) i32[(t.data >>> 2) + i] = words[i] as number;
    this.#post(t);
  }

  /** As `barWrite`, for two words, without a list. */
  barWrite64(bar: number, offset: number, first: number, second: number): void {
    this.#postShort(bar, offset, 8, first, second);
  }

  /**
   * Posts one write for each word, to ascending registers. They are on the wire one after the other and reach the NIC
   * one by one, at the arrival of the last: one event for a burst that nothing can come between.
   */
  barWriteEach(bar: number, offset: number, words: readonly number[]): void {
    const t = this.#newWrite(bar, offset, words.length * 4);
    const i32 = this.#bytes.i32;
    for (let i = 0; i < words.length; i++) i32[(t.data >>> 2) + i] = words[i] as number;
    t.ownerArg = words.length;
    this.#scheduler.scheduleAt(this.#wire.access(4, words.length), this, t.slot);
  }

  /** As `barWrite`, for `length` bytes of the byte store at `source`. */
  barWriteBytes(bar: number, offset: number, source: number, length: number): void {
    const t = this.#newWrite(bar, offset, length);
    this.#bytes.copy(t.data, source, length);
    this.#post(t);
  }

  /**
   * Posts one write of `length` bytes of the byte store at `source` to memory behind a BAR, from any byte on: the first and the last dword
   * are enabled in part.
   * @throws PcieUsageError when the write is too long or crosses 4 KiB
   */
  memoryWrite(bar: number, offset: number, source: number, length: number): void {
    checkMemoryAccess('memoryWrite', bar, offset, length, this.#settings.maxPayload);
    const t = this.#newAccess(TLP_KIND.memWrite, bar, offset, length);
    this.#bytes.copy(t.data, source, length);
    this.#post(t);
  }

  /** As `memoryWrite`, of bytes that are given. */
  memoryWriteFrom(bar: number, offset: number, data: Uint8Array): void {
    checkMemoryAccess('memoryWrite', bar, offset, data.length, this.#settings.maxPayload);
    const t = this.#newAccess(TLP_KIND.memWrite, bar, offset, data.length);
    this.#bytes.u8.set(data, t.data);
    this.#post(t);
  }

  /** A hardware thread with a posted queue of its own. Each call makes another one. */
  thread(): CpuThread {
    const name = `${this.fullName}.thread${this.#threads.length}`;
    const random = this.run.random.fast(name, 'posted queue');
    const thread = new CpuThread(name, this, this.#scheduler, random, POSTED_WINDOW);
    this.#threads.push(thread);
    return thread;
  }

  /** Reads `length` bytes of such memory to byte-store offset `dst`; all ones as `barRead32`. */
  *memoryRead(bar: number, offset: number, dst: number, length: number): Proc<void> {
    checkMemoryAccess('memoryRead', bar, offset, length, this.#settings.maxReadRequest);
    yield this.#sendRead(new BarRead(bar, offset, this.#scheduler.now, null, 0, dst), length);
  }

  /**
   * Reads a 32-bit register. All ones when the NIC answers with an error or not at all, as a processor would see;
   * either is reported.
   * @throws PcieUsageError when the offset is no multiple of 4
   */
  *barRead32(bar: number, offset: number): Proc<number> {
    return (yield this.#startRead(bar, offset, null, 0)) as number;
  }

  /** As `barRead32`; the answer goes to `reader` together with `arg`, when it arrives. */
  barReadTo(bar: number, offset: number, reader: BarReader, arg: number): void {
    this.#startRead(bar, offset, reader, arg);
  }

  /**
   * The NIC has been reset: accesses on their way to it, and answers on their way back, come to nothing. Who reads finds all ones at
   * once, as a processor would.
   */
  reset(): void {
    this.#overtaken = this.#posted.size;
    for (const thread of this.#threads) thread.reset();
    for (const t of this.#pool.slots) {
      const { state, owner } = t;
      if (state === TLP_STATE.free || state === TLP_STATE.lost) continue;
      // With the NIC: nothing is scheduled that would give it back.
      if (state === TLP_STATE.delivered) this.#pool.release(t);
      else t.state = TLP_STATE.lost;
      (owner as BarRead | null)?.finish(ALL_ONES);
    }
    this.#abandoned = 0;
  }

  /** The NIC is finished: what it answers from now on is refused. */
  close(): void {
    this.#pool.close();
  }

  /** The NIC answers a read; the value is at `tlp.data`. */
  complete(tlp: Tlp, status: CplStatus): void {
    const t = tlp as HostTlp;
    if (this.#pool.slots[t.slot] !== t || t.state !== TLP_STATE.delivered) {
      this.error(
        'PCIE_CPL' satisfies PcieReportId,
        `BAR ${t.bar} offset ${hex(t.lo)}: an answer (tag ${t.tag}) that is not expected${this.#pool.isClosed ? ': the NIC was finished' : ''}`,
        [aBarAccess(this.#host, t.bar, t.lo, this.#scheduler.now)],
      );
      return;
    }
    if (this.root !== null) {
      const { bar, offset } = t.owner as BarRead;
      t.bar = bar;
      t.hi = Math.floor(offset / TWO_32);
      t.lo = offset | 0;
    }
    t.state = TLP_STATE.answered;
    t.status = status;
    const arrival = this.#wire.reply(t, status === CPL_STATUS.success ? t.length : 0);
    this.#scheduler.scheduleAt(arrival, this, t.slot);
  }

  /** An access reaches the NIC, an answer reaches the host, or the oldest read may have waited too long. */
  fire(slot: number): void {
    if (slot === POSTED) {
      this.#deliverShort();
      return;
    }
    if (slot === TIMER) {
      this.#timer();
      return;
    }
    const t = this.#pool.slots[slot] as HostTlp;
    if (t.state === TLP_STATE.lost) this.#pool.release(t);
    else if (t.state === TLP_STATE.answered) this.#finishRead(t);
    else if (t.kind === TLP_KIND.memWrite) this.#deliverWrite(t);
    else this.#deliverRead(t);
  }

  #startRead(bar: number, offset: number, reader: BarReader | null, arg: number): BarRead {
    checkAccess('barRead32', bar, offset, 4, this.#settings.maxReadRequest);
    return this.#sendRead(new BarRead(bar, offset, this.#scheduler.now, reader, arg), 4);
  }

  #sendRead(read: BarRead, length: number): BarRead {
    const t = this.#newAccess(TLP_KIND.memRead, read.bar, read.offset, length);
    t.tag = t.slot & 0xff;
    t.owner = read;
    t.remaining = length;
    this.#append(read);
    this.#scheduler.scheduleAt(this.#wire.access(0), this, t.slot);
    this.#setTimer();
    return read;
  }

  #newWrite(bar: number, offset: number, length: number): HostTlp {
    checkAccess('barWrite', bar, offset, length, this.#settings.maxPayload);
    return this.#newAccess(TLP_KIND.memWrite, bar, offset, length);
  }

  #newAccess(kind: Tlp['kind'], bar: number, offset: number, length: number): HostTlp {
    const t = this.#pool.acquire();
    t.state = TLP_STATE.sent;
    t.kind = kind;
    t.bar = bar;
    t.hi = Math.floor(offset / TWO_32);
    t.lo = offset | 0;
    t.length = length;
    if (length <= LINE_BYTES) t.data = this.#lineOf(t);
    else {
      t.block = this.#blocks.acquire();
      t.data = this.#blocks.offset(t.block);
    }
    return t;
  }

  #lineOf(t: HostTlp): number {
    if (t.line < 0) t.line = this.#bytes.alloc(LINE_BYTES, LINE_BYTES);
    return t.line;
  }

  #post(t: HostTlp): void {
    this.#scheduler.scheduleAt(this.#wire.access(t.length), this, t.slot);
  }

  /** Only the oldest short write has an event. */
  #postShort(bar: number, offset: number, length: number, first: number, second: number): void {
    checkAccess('barWrite', bar, offset, length, this.#settings.maxPayload);
    const arrival = this.#wire.access(length);
    const posted = this.#posted;
    if (posted.size === 0) this.#scheduler.scheduleAt(arrival, this, POSTED);
    posted.push(bar, offset, length, first, second, arrival);
  }

  #deliverShort(): void {
    const posted = this.#posted;
    posted.shift();
    if (this.#overtaken > 0) {
      this.#overtaken--;
      if (posted.size > 0) this.#scheduler.scheduleAt(posted.arrival, this, POSTED);
      return;
    }
    const t = this.#short;
    t.bar = posted.bar;
    t.lo = posted.offset;
    t.length = posted.length;
    const i32 = this.#bytes.i32;
    i32[t.data >>> 2] = posted.first;
    i32[(t.data >>> 2) + 1] = posted.second;
    if (posted.size > 0) this.#scheduler.scheduleAt(posted.arrival, this, POSTED);
    this.#deliverOne(t);
  }

  #deliverWrite(t: HostTlp): void {
    if (t.ownerArg > 0) {
      this.#deliverBurst(t);
      return;
    }
    this.#deliverOne(t);
    this.#pool.release(t);
  }

  /** Each word as a transaction of its own. */
  #deliverBurst(t: HostTlp): void {
    t.length = 4;
    for (let left = t.ownerArg; left > 0; left--) {
      this.#deliverOne(t);
      t.lo += 4;
      t.data += 4;
    }
    this.#pool.release(t);
  }

  #deliverOne(t: HostTlp): void {
    this.#record(PCIE_TRANSCRIPT.barWrite, t);
    this.#transcript.bytes(t.data, t.length);
    this.#publish(t);
    const { root } = this;
    if (root === null) (this.#nic as Nic).barWrite(t);
    else this.#writeByAddress(t, root);
  }

  /** The NIC finds the BAR by itself. */
  #writeByAddress(t: HostTlp, root: RootComplex): void {
    const { bar, hi, lo } = t;
    root.toBus(t);
    (this.#nic as Nic).barWrite(t);
    t.bar = bar;
    t.hi = hi;
    t.lo = lo;
  }

  #deliverRead(t: HostTlp): void {
    this.#record(PCIE_TRANSCRIPT.barRead, t);
    t.state = TLP_STATE.delivered;
    this.root?.toBus(t);
    (this.#nic as Nic).barRead(t);
  }

  #finishRead(t: HostTlp): void {
    const read = t.owner as BarRead;
    this.#record(PCIE_TRANSCRIPT.barCompletion | (t.status << 8) | (t.poisoned ? 1 << 7 : 0), t);
    let value = ALL_ONES;
    const about = [aBarAccess(this.#host, t.bar, t.lo, read.since)] as const;
    if (t.status !== CPL_STATUS.success) {
      this.#findings.error('PCIE_CPL_STATUS', () => `${describeRead(t)} answered with status ${t.status}`, about);
    } else {
      if (t.poisoned)
        this.#findings.error('PCIE_CPL_POISON', () => `${describeRead(t)} answered with poisoned data`, about);
      this.#transcript.bytes(t.data, t.length);
      value = (this.#bytes.i32[t.data >>> 2] as number) >>> 0;
    }
    if (read.dst >= 0) this.#deliverBytes(t, read.dst);
    t.remaining = 0;
    this.#publish(t);
    this.#pool.release(t);
    if (read.done) this.#abandoned--;
    read.finish(value);
  }

  /** The bytes of a read of memory; all ones of one that has failed. */
  #deliverBytes(t: HostTlp, dst: number): void {
    if (t.status === CPL_STATUS.success) this.#bytes.copy(dst, t.data, t.length);
    else this.#bytes.u8.fill(0xff, dst, dst + t.length);
  }

  /** Configuration accesses, one after the other. */
  *#configure(accesses: Generator<ConfigAccess, void, number>): Proc<void> {
    for (let next = accesses.next(); next.done !== true; ) next = accesses.next(yield* this.#config(next.value));
  }

  /** They keep the order of all accesses, and are answered. */
  *#config(access: ConfigAccess): Proc<number> {
    yield* delay(this.#wire.access(4) - this.#scheduler.now);
    const found = this.#configNow(access);
    yield* delay(this.#settings.upLatency);
    return found;
  }

  /** One of them reaches the NIC. */
  #configNow({ register, value }: ConfigAccess): number {
    const nic = this.#nic;
    let found = ALL_ONES;
    const kind = value === undefined ? PCIE_TRANSCRIPT.configRead : PCIE_TRANSCRIPT.configWrite;
    if (isEnumerable(nic)) {
      if (value === undefined) found = nic.configRead(register);
      else nic.configWrite(register, value);
    }
    this.#transcript.record(kind, this.#host, this.#scheduler.now, register, value ?? found, 4);
    return found;
  }

  #record(kind: number, t: HostTlp): void {
    this.#transcript.record(kind, this.#host, this.#scheduler.now, t.bar, t.lo, t.length);
  }

  #publish(t: HostTlp): void {
    this.#monitor.barAccess(t);
    if (this.#subscribers.length > 0) this.barAccesses.write(t);
  }

  #append(read: BarRead): void {
    if (this.#waiting() === null) this.#oldest = read;
    else (this.#newest as BarRead).next = read;
    this.#newest = read;
  }

  /** The oldest read without an answer; null when there is none. */
  #waiting(): BarRead | null {
    let oldest = this.#oldest;
    while (oldest?.done === true) {
      const { next } = oldest;
      oldest.next = null;
      oldest = next;
    }
    this.#oldest = oldest;
    return oldest;
  }

  #setTimer(): void {
    if (this.#timerSet) return;
    const oldest = this.#waiting();
    if (oldest === null) return;
    this.#timerSet = true;
    this.#scheduler.scheduleAt(oldest.since + this.#settings.barReadTimeout, this, TIMER);
  }

  /** Gives up what has waited too long. A late answer is still taken, but nobody is waiting for it. */
  #timer(): void {
    this.#timerSet = false;
    const limit = this.#scheduler.now - this.#settings.barReadTimeout;
    for (let read = this.#waiting(); read !== null && read.since <= limit; read = this.#waiting()) {
      const { barReadTimeout } = this.#settings;
      const what = read;
      this.#findings.error(
        'PCIE_CPL_TIMEOUT',
        () => `no ${what.describe()} within ${formatTime(barReadTimeout)}${what.describeWait()}`,
        [aBarAccess(this.#host, what.bar, what.offset, what.since)],
      );
      this.#abandoned++;
      read.finish(ALL_ONES);
    }
    this.#setTimer();
  }
}

function describeRead(t: HostTlp): string {
  return `read of BAR ${t.bar} at ${hex(t.lo)}`;
}
