import { TLP_KIND, type Tlp, BLOCK_BYTES } from '../../../../dut-model/nic.ts';
import type { HostMemoryPort } from '../../../../agents/pcie/hostMemoryPort.ts';
import { PcieHostAgent } from '../../../../agents/pcie/pcieHostAgent.ts';
import type { PcieHostSettings } from '../../../../agents/pcie/pcieSettings.ts';
import { BlockPool } from '../../../../uvm/bytes/blockPool.ts';
import { ByteStore } from '../../../../uvm/bytes/byteStore.ts';
import { Run } from '../../../../uvm/run.ts';
import { FakeNic } from './fakeNic.ts';

/** Sixteen pages of flat memory: the address is the low half modulo 64 KiB. */
export class FlatMemory implements HostMemoryPort {
  readonly base: number;
  readonly log: string[] = [];
  readonly #bytes: ByteStore;

  constructor(bytes: ByteStore) {
    this.#bytes = bytes;
    this.base = bytes.alloc(0x1_0000 + 4096);
  }

  read(_hi: number, lo: number, length: number, dst: number): void {
    this.#bytes.copy(dst, this.base + (lo & 0xffff), length);
  }

  write(_hi: number, lo: number, length: number, src: number): void {
    this.log.push(`${lo & 0xffff}+${length}`);
    this.#bytes.copy(this.base + (lo & 0xffff), src, length);
  }

  /** Everything is stored here, except the upper half, as if nobody had written it. */
  readFrom(_hi: number, lo: number, _length: number): number {
    return (lo & 0x8000) === 0 ? this.base + (lo & 0xffff) : -1;
  }

  pageKey(): number {
    return 0;
  }

  writeTo(_hi: number, lo: number, length: number): number {
    if (length === 0 || (lo & 0x8000) !== 0) return -1;
    this.log.push(`${lo & 0xffff}+${length}`);
    return this.base + (lo & 0xffff);
  }
}

/** One host agent with a fake NIC and flat memory. */
export class PcieBench {
  readonly run: Run;
  readonly memory: FlatMemory;
  readonly blocks: BlockPool;
  readonly agent: PcieHostAgent;
  readonly nic: FakeNic;
  /** A buffer for answers to reads. */
  readonly buffer: number;
  /** Lines of the log. */
  readonly lines: string[] = [];

  constructor(settings: Partial<PcieHostSettings> = {}, seed = 1) {
    this.run = new Run({ seed, testName: 'spec', sink: (text) => this.lines.push(text), bytes: ByteStore.create() });
    this.memory = new FlatMemory(this.run.bytes);
    this.blocks = new BlockPool(this.run.bytes, BLOCK_BYTES);
    this.agent = new PcieHostAgent('pcie', this.run, { host: 3, memory: this.memory, blocks: this.blocks, settings });
    this.nic = new FakeNic(this.run.scheduler, this.run.bytes);
    this.nic.host = this.agent.upstream;
    this.agent.attach(this.nic);
    this.buffer = this.run.bytes.alloc(1 << 20);
    for (let i = 0; i < 0x1_0000; i++) this.run.bytes.u8[this.memory.base + i] = (i * 7 + (i >> 8)) & 0xff;
  }

  /** Sends a write of bytes 1, 2, 3, ... */
  write(lo: number, length: number, change: (t: Tlp) => void = () => {}): Tlp {
    const t = this.agent.upstream.acquire();
    t.kind = TLP_KIND.memWrite;
    t.lo = lo;
    t.length = length;
    t.block = this.blocks.acquire();
    t.data = this.blocks.offset(t.block);
    for (let i = 0; i < length; i++) this.run.bytes.u8[t.data + i] = (i + 1) & 0xff;
    change(t);
    this.agent.upstream.send(t);
    return t;
  }

  /** Sends a read into `buffer + at`. */
  read(lo: number, length: number, tag = 0, at = 0, change: (t: Tlp) => void = () => {}): Tlp {
    const t = this.agent.upstream.acquire();
    t.lo = lo;
    t.length = length;
    t.tag = tag;
    t.data = this.buffer + at;
    change(t);
    this.agent.upstream.send(t);
    return t;
  }

  /** Bytes of host memory. */
  bytesAt(lo: number, length: number): number[] {
    return [...this.run.bytes.u8.subarray(this.memory.base + lo, this.memory.base + lo + length)];
  }

  /** Bytes that reads have brought. */
  answer(at: number, length: number): number[] {
    return [...this.run.bytes.u8.subarray(this.buffer + at, this.buffer + at + length)];
  }

  /** Runs until nothing is left to do. */
  settle(): void {
    this.run.scheduler.run();
  }

  /** Report ids seen so far, with counts, apart from plain information. */
  ids(): Record<string, number> {
    return Object.fromEntries([...this.run.reports.idCounts()].filter(([id]) => /^(PCIE|LINK|WIRE)_/.test(id)));
  }
}
