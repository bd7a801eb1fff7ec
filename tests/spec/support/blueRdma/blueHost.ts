/** A host with a NIC, without components: memory, a PCIe port with fixed latencies, and the bus of a driver. */
import type { BarReader } from '../../../../agents/pcie/barRead.ts';
import { type Nic, TLP_KIND, Tlp } from '../../../../dut-model/nic.ts';
import type { CplStatus, PcieSettings, PcieUpstream } from '../../../../dut-model/nic.ts';
import type { HostBus } from '../../../../env/providers/hostBus.ts';
import { HostMemory } from '../../../../env/memory/hostMemory.ts';
import type { BlockPool } from '../../../../uvm/bytes/blockPool.ts';
import type { ByteStore } from '../../../../uvm/bytes/byteStore.ts';
import { Event } from '../../../../uvm/kernel/event.ts';
import type { Proc } from '../../../../uvm/kernel/process.ts';
import type { EventHandler, Scheduler } from '../../../../uvm/kernel/scheduler.ts';

const WRITE_PS = 300_000;
const READ_PS = 800_000;

/** A write of the NIC to host memory: address, and bytes. */
export interface SeenWrite {
  readonly hi: number;
  readonly lo: number;
  readonly length: number;
}

class Later implements EventHandler {
  readonly #call: () => void;
  constructor(call: () => void) {
    this.#call = call;
  }
  fire(): void {
    this.#call();
  }
}

export class BlueHost implements PcieUpstream, HostBus {
  readonly settings: PcieSettings = { maxPayload: 256, maxReadRequest: 1024, readCompletionBoundary: 64, tags: 64 };
  readonly memory: HostMemory;
  /** Writes of the NIC in the order in which they came. */
  readonly writes: SeenWrite[] = [];
  /** Reads of the NIC. */
  readonly reads: SeenWrite[] = [];
  nic!: Nic;
  /** Told of a write once its bytes are in memory. */
  onWrite: (tlp: Tlp) => void = () => {};

  readonly #scheduler: Scheduler;
  readonly #bytes: ByteStore;
  readonly #blocks: BlockPool;
  readonly #scratch: number;
  #writeAt = 0;
  #readAt = 0;

  constructor(scheduler: Scheduler, bytes: ByteStore, blocks: BlockPool, key: number) {
    this.#scheduler = scheduler;
    this.#bytes = bytes;
    this.#blocks = blocks;
    this.memory = new HostMemory(bytes, key);
    this.#scratch = bytes.alloc(8192);
  }

  acquire(): Tlp {
    return new Tlp();
  }

  send(tlp: Tlp): void {
    const { now } = this.#scheduler;
    const ready = Math.max(now, tlp.readyAt);
    const { hi, lo, length } = tlp;
    if (tlp.kind === TLP_KIND.memRead) {
      this.reads.push({ hi, lo, length });
      // Reads push the writes before them.
      this.#readAt = Math.max(this.#readAt, ready + READ_PS, this.#writeAt);
      this.#at(this.#readAt, () => this.#answer(tlp));
      return;
    }
    this.writes.push({ hi, lo, length });
    this.#writeAt = Math.max(this.#writeAt, ready + WRITE_PS);
    this.#at(this.#writeAt, () => {
      this.memory.write(hi, lo, length, tlp.data);
      this.onWrite(tlp);
      if (tlp.block >= 0) this.#blocks.release(tlp.block);
    });
  }

  complete(tlp: Tlp, _status: CplStatus): void {
    const value = this.#bytes.i32[tlp.data >>> 2] as number;
    const reader = tlp.owner as BarReader;
    this.#at(this.#scheduler.now + WRITE_PS, () => reader.barRead(tlp.ownerArg, value));
  }

  barWrite(bar: number, offset: number, words: readonly number[]): void {
    const tlp = this.#bar(bar, offset, 4 * words.length);
    words.forEach((word, i) => {
      this.#bytes.i32[(tlp.data >>> 2) + i] = word;
    });
    const at = Math.max(this.#busAt, this.#scheduler.now + WRITE_PS);
    this.#busAt = at;
    this.#at(at, () => this.nic.barWrite(tlp));
  }
  #busAt = 0;

  barWriteEach(bar: number, offset: number, words: readonly number[]): void {
    words.forEach((word, i) => {
      this.barWrite(bar, offset + 4 * i, [word]);
    });
  }

  barWrite64(bar: number, offset: number, first: number, second: number): void {
    this.barWrite(bar, offset, [first, second]);
  }

  *barRead32(bar: number, offset: number): Proc<number> {
    const done = new Event<number>('register read');
    this.barReadTo(bar, offset, { barRead: (_arg, value) => done.trigger(value) }, 0);
    return yield* done.waitOn();
  }

  memoryWrite(): void {}

  *memoryRead(): Proc<void> {}

  readonly bars = [];

  *enumerate(): Proc<void> {}

  *relocate(): Proc<void> {}

  configRead(): never {
    throw new Error('there is no configuration space here');
  }

  thread(): never {
    throw new Error('no thread accesses a BAR here');
  }

  barReadTo(bar: number, offset: number, reader: BarReader, arg: number): void {
    const tlp = this.#bar(bar, offset, 4);
    tlp.owner = reader;
    tlp.ownerArg = arg;
    const at = Math.max(this.#busAt, this.#scheduler.now + WRITE_PS);
    this.#busAt = at;
    this.#at(at, () => this.nic.barRead(tlp));
  }

  /** Bytes of physical memory. */
  bytesAt(hi: number, lo: number, length: number): Uint8Array {
    const out = new Uint8Array(length);
    for (let done = 0; done < length; done += 4096) {
      const n = Math.min(4096, length - done);
      this.memory.read(hi, lo + done, n, this.#scratch);
      out.set(this.#bytes.u8.subarray(this.#scratch, this.#scratch + n), done);
    }
    return out;
  }

  /** Puts bytes into physical memory. */
  put(hi: number, lo: number, bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length; done += 4096) {
      const part = bytes.subarray(done, done + 4096);
      this.#bytes.u8.set(part, this.#scratch);
      this.memory.write(hi, lo + done, part.length, this.#scratch);
    }
  }

  #answer(tlp: Tlp): void {
    this.memory.read(tlp.hi, tlp.lo, tlp.length, tlp.data);
    tlp.remaining = 0;
    this.nic.completion(tlp, 0, tlp.length);
  }

  #bar(bar: number, offset: number, length: number): Tlp {
    const tlp = new Tlp();
    tlp.bar = bar;
    tlp.lo = offset;
    tlp.length = length;
    tlp.data = this.#bytes.alloc(length, 16);
    return tlp;
  }

  #at(time: number, call: () => void): void {
    this.#scheduler.scheduleAt(time, new Later(call));
  }
}
