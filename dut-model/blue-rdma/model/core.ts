/** What the blocks of the NIC share: the run's services, its port addresses, and what it counts. */
import { BLUE_LIMITS } from '../layout/limits.ts';
import { COUNTER_OFFSET, type CounterName } from '../layout/registers.ts';
import type { BlockPool } from '../../../uvm/bytes/blockPool.ts';
import type { ByteStore } from '../../../uvm/bytes/byteStore.ts';
import type { Scheduler } from '../../../uvm/kernel/scheduler.ts';
import { DmaEngine } from '../../roce/dmaEngine.ts';
import type { LinkUpstream, NicContext } from '../../nic.ts';
import type { BlueConfig } from './blueConfig.ts';

/** Counters of one channel, as its registers show them. */
export type Counters = Record<CounterName, number>;

export class BlueCore {
  readonly context: NicContext;
  readonly config: BlueConfig;
  readonly scheduler: Scheduler;
  readonly bytes: ByteStore;
  readonly blocks: BlockPool;
  readonly dma: DmaEngine;
  /** Set once after construction. */
  link!: LinkUpstream;
  /** By channel. */
  readonly counters: readonly Counters[] = Array.from({ length: BLUE_LIMITS.maxChannels }, noCounts);
  /** Accesses to registers that hardware does not take: wrong size, pointers of its own, bases of rings in use. */
  badAccesses = 0;

  /** Set by the driver: frames are dropped before. */
  ready = false;
  macHigh = 0;
  macLow = 0;
  ip = 0;

  constructor(context: NicContext, config: BlueConfig) {
    this.context = context;
    this.config = config;
    this.scheduler = context.scheduler;
    this.bytes = context.bytes;
    this.blocks = context.blocks;
    this.dma = new DmaEngine(context.scheduler, context.bytes, context.blocks, config.dmaTags);
  }

  reset(): void {
    this.dma.reset();
    this.ready = false;
    this.macHigh = this.context.macHigh;
    this.macLow = this.context.macLow;
    this.ip = 0;
    this.badAccesses = 0;
    for (const counts of this.counters) Object.assign(counts, noCounts());
  }

  /** Duration of so many clock cycles, ps. */
  cycles(n: number): number {
    return n * this.config.clockPs;
  }

  /** How long the pipelines take for so many bytes, ps. */
  moving(bytes: number): number {
    return Math.ceil(bytes / this.config.cycleBytes) * this.config.clockPs;
  }

  /** The channel whose report ring a queue pair uses: always the same, so that its reports stay in order. */
  channelOf(qpIndex: number): number {
    return qpIndex & (this.config.channels - 1);
  }

  count(channel: number, name: CounterName): void {
    (this.counters[channel] as Counters)[name]++;
  }
}

function noCounts(): Counters {
  return Object.fromEntries(Object.keys(COUNTER_OFFSET).map((name) => [name, 0])) as Counters;
}
