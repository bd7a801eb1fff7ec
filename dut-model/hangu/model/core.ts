/**
 * What the blocks of one HanGu NIC share: the run's services, memory port, tables, caches, and the on-chip state of
 * queue pairs. Holds no behaviour of a block.
 */
import { Egress } from '../../roce/egress.ts';
import type { LinkUpstream, NicContext } from '../../nic.ts';
import type { BlockPool } from '../../../uvm/bytes/blockPool.ts';
import type { ByteStore } from '../../../uvm/bytes/byteStore.ts';
import type { Scheduler } from '../../../uvm/kernel/scheduler.ts';
import { FrameBuilder, udpSourcePort } from '../../roce/frameBuilder.ts';
import { IPV4_BYTES, IPV6_BYTES, TEMPLATE_BYTES } from '../../roce/frameLayout.ts';
import { FrameParser } from '../../roce/frameParser.ts';
import type { Resumable } from '../../roce/rxPacket.ts';
import { RxPacketPool } from '../../roce/rxPacket.ts';
import { DmaEngine } from '../../roce/dmaEngine.ts';
import type { HanguConfig } from './hanguConfig.ts';
import type { MemoryClient, MemoryTarget } from '../../roce/memoryTarget.ts';
import { ChipTable } from './memory/chipTable.ts';
import { type EntryTable, FAILED, MISS } from './memory/entryTable.ts';
import { IcmCache } from './memory/icmCache.ts';
import { IcmMap } from './memory/icmMap.ts';
import { QPC_DW, qpcMarker, qpIpv6 } from './qpContext.ts';
import { QpSlot } from './transport/qpSlot.ts';
import type { SlotEngine } from './transport/qpSlot.ts';
import type { KeyUnit } from './memory/keyUnit.ts';
import { Translation } from './memory/translation.ts';

/** `context` results below zero. */
export const WAIT = -1;
/** There is no such queue pair: software has set no context up, or has taken it back. */
export const NO_CONTEXT = -2;
/** Its context could not be read. */
export const UNREADABLE = -3;

/** What a look-up that finds no line means. */
const NO_LINE: Readonly<Record<number, number | undefined>> = { [MISS]: WAIT, [FAILED]: UNREADABLE };

/** Work that may have its queue pair's context pinned. */
export interface ContextUser {
  pinned: boolean;
}

/** Counters that a test may print; none of them is an oracle. */
export interface HanguCounters {
  framesSent: number;
  framesReceived: number;
  framesDropped: number;
  retransmissions: number;
  rnrNaks: number;
  timeouts: number;
  /** Packets dropped at the queue pair: none of that number, its state, opcode class, addresses, P_Key, Q_Key. */
  noQp: number;
  badState: number;
  badService: number;
  badAddress: number;
  badPkey: number;
  badQkey: number;
  /** Frames of software that found no receive, or were for another port. */
  rawDropped: number;
}

/** Replaceable parts, so that a faulty NIC differs from a good one in one method of one block. */
export interface CoreParts {
  readonly cache: typeof IcmCache;
  readonly translation: typeof Translation;
  readonly builder: typeof FrameBuilder;
  readonly parser: typeof FrameParser;
  readonly dma: typeof DmaEngine;
  /** Tables that are on the chip, each with the entries that there is room for, a power of two; the others are cached. */
  readonly onChip: Readonly<Partial<Record<CoreTable, number>>>;
  /** Makes the memories that payload may lie in besides that of the host: `Translation.targetOf` counts them from 1. */
  readonly memories: (context: NicContext, dma: DmaEngine) => readonly MemoryTarget[];
}
export type CoreTable = 'qpc' | 'cqc' | 'srqc' | 'mpt' | 'mtt';
/** Contexts of shared receive queues in the cache. */
const SRQC_LINES = 64;
export const CORE_PARTS: CoreParts = {
  cache: IcmCache,
  translation: Translation,
  builder: FrameBuilder,
  parser: FrameParser,
  dma: DmaEngine,
  onChip: {},
  memories: () => [],
};

export class HanguCore {
  readonly name: string;
  readonly context: NicContext;
  readonly config: HanguConfig;
  readonly scheduler: Scheduler;
  readonly bytes: ByteStore;
  readonly blocks: BlockPool;
  readonly dma: DmaEngine;
  /** What payload may lie in: host memory, behind the DMA engine, is the first. */
  readonly targets: readonly [MemoryTarget, ...MemoryTarget[]];
  readonly icm = new IcmMap();
  readonly qpc: EntryTable;
  readonly cqc: EntryTable;
  readonly srqc: EntryTable;
  readonly mpt: EntryTable;
  readonly mtt: EntryTable;
  readonly xlate: Translation;
  readonly builder: FrameBuilder;
  readonly parser: FrameParser;
  readonly packets: RxPacketPool;
  link!: LinkUpstream;
  readonly egress: Egress;
  engine!: SlotEngine;
  /** Set once after construction. */
  keys!: KeyUnit;
  /** After INIT_HCA and before CLOSE_HCA. */
  running = false;
  /** Software says how many completions it has taken. */
  cqIndices = false;
  /** Upper half of the address of the ACK queues. */
  ackQueuesHi = 0;
  /** GIDs of the Ethernet ports, by number - 1: that of port 1 comes with INIT_HCA. */
  readonly portGids: readonly Int32Array[];
  /** Raw packet queue pair that takes the frames of the port; -1 = none. */
  rawQpn = -1;
  readonly counters: HanguCounters = {
    framesSent: 0,
    framesReceived: 0,
    framesDropped: 0,
    retransmissions: 0,
    rnrNaks: 0,
    timeouts: 0,
    noQp: 0,
    badState: 0,
    badService: 0,
    badAddress: 0,
    badPkey: 0,
    badQkey: 0,
    rawDropped: 0,
  };

  #slots: (QpSlot | undefined)[] = [];
  /** Room for header templates that slots have given back. */
  readonly #templates: number[] = [];
  /** Template for datagrams, whose addresses come with each request. */
  readonly udTemplate: number;

  constructor(context: NicContext, config: HanguConfig, parts: CoreParts = CORE_PARTS) {
    this.context = context;
    this.name = context.name;
    this.config = config;
    this.portGids = context.ports.map(() => new Int32Array(4));
    this.scheduler = context.scheduler;
    this.bytes = context.bytes;
    this.blocks = context.blocks;
    this.dma = new parts.dma(this.scheduler, this.bytes, this.blocks, config.dmaTags, config.cplTimeoutNs * 1000);
    this.targets = [this.dma, ...parts.memories(context, this.dma)];
    const table = (name: CoreTable, lines: number, per = 1): EntryTable => {
      const capacity = parts.onChip[name];
      if (capacity !== undefined) return new ChipTable(this.icm[name], this.bytes, capacity, per);
      return new parts.cache(this.icm[name], this.dma, this.bytes, lines, config.cacheWays, per);
    };
    this.qpc = table('qpc', config.qpcCache);
    this.cqc = table('cqc', config.cqcCache);
    this.srqc = table('srqc', SRQC_LINES);
    this.mpt = table('mpt', config.mptCache);
    this.mtt = table('mtt', config.mttCache, 4);
    this.xlate = new parts.translation(this.bytes, this.icm, this.mpt, this.mtt, this.targets);
    this.builder = new parts.builder(this.bytes);
    this.parser = new parts.parser(this.bytes);
    this.packets = new RxPacketPool(this.blocks);
    this.xlate.anyDomainWindows = config.mwType2a !== 0;
    this.egress = new Egress(this.scheduler, config.egressNs * 1000);
    this.udTemplate = this.bytes.alloc(TEMPLATE_BYTES, 16);
  }

  /** Cycles as picoseconds. */
  cycles(n: number): number {
    return n * this.config.clockPs;
  }

  /** On-chip state of a queue pair, created on first use. `qpn` must be below the table size. */
  slot(qpn: number): QpSlot {
    let s = this.#slots[qpn];
    if (s === undefined) {
      s = new QpSlot(qpn, this.engine);
      this.#slots[qpn] = s;
    }
    return s;
  }

  /** Forgets the on-chip state of one queue pair (it went to RESET). */
  dropSlot(qpn: number): void {
    const old = this.#slots[qpn];
    const s = new QpSlot(qpn, this.engine);
    if (old !== undefined) s.template = old.template;
    this.#slots[qpn] = s;
  }

  /** Forgets everything on the chip, without writing anything back: reset, and the end of CLOSE_HCA. */
  reset(): void {
    this.running = false;
    this.rawQpn = -1;
    for (const slot of this.#slots) {
      if (slot === undefined) continue;
      this.engine.dropWork(slot);
      if (slot.template !== 0) this.#templates.push(slot.template);
    }
    this.#slots = [];
    this.icm.reset();
    for (const table of [this.qpc, this.cqc, this.srqc, this.mpt, this.mtt]) table.clear();
    this.xlate.forget();
    this.keys.reset();
    for (const target of this.targets) target.reset();
  }

  /** Calls `client.dmaDone(arg, true)` when everything that any target was asked for so far has ended. */
  fence(client: MemoryClient, arg: number): void {
    this.#fenceFrom(this.targets.length - 1, client, arg);
  }

  /** One target after the other, host memory last: what another one has begun there is waited for as well. */
  #fenceFrom(i: number, client: MemoryClient, arg: number): void {
    const target = this.targets[i] as MemoryTarget;
    if (i === 0) target.fence(client, arg);
    else target.fence({ dmaDone: () => this.#fenceFrom(i - 1, client, arg) });
  }

  /** Keeps the context of `qpn`, if it is there already, for work that waits for something else. */
  keepContext(work: ContextUser, qpn: number): void {
    if (!work.pinned) work.pinned = this.qpc.pin(qpn);
  }

  /** The work goes on, or is over. Whoever waits for the place of the context is resumed by the next `qpc.wake`. */
  letContextGo(work: ContextUser, qpn: number): void {
    if (!work.pinned) return;
    this.qpc.unpin(qpn);
    work.pinned = false;
  }

  /**
   * Dword index of the context of `qpn`; `WAIT` and `asker` is resumed when it is there; `NO_CONTEXT` when software
   * never gave one; `UNREADABLE` when reading it from host memory failed. Valid until the next call.
   */
  queuePair(qpn: number, asker: Resumable): number {
    if (qpn >= this.icm.qpc.entries) return NO_CONTEXT;
    const at = this.qpc.lookup(qpn, asker);
    if (at < 0) return NO_LINE[at] ?? NO_CONTEXT;
    const c = at >> 2;
    const marker = qpcMarker(qpn, this.icm.life);
    return (this.bytes.i32[c + QPC_DW.marker] as number) === marker ? c : NO_CONTEXT;
  }

  /** As `queuePair` for a slot, which knows where its context is as long as that has not left the cache. */
  contextOf(slot: QpSlot, asker: Resumable): number {
    const there = !slot.lost && this.qpc.again(slot.qpn, slot.contextRecord, slot.contextChanges);
    return there ? slot.context : this.#findContext(slot, asker);
  }

  /** Counts a packet that is dropped without a word. @returns true: it has been dealt with */
  dropped(reason: 'noQp' | 'badState'): true {
    this.counters[reason]++;
    return true;
  }

  /** Marks the context of a slot, which `contextOf` found just now, as changed. */
  touch(slot: QpSlot): void {
    if (slot.contextTouched === true) return;
    slot.contextTouched = true;
    this.qpc.touchRecord(slot.contextRecord);
  }

  /** GID of the port that a queue pair is bound to, by its context. */
  gidOf(c: number): Int32Array {
    const port = (this.bytes.i32[c + QPC_DW.portPkey] as number) >>> 24;
    return this.portGids[port - 1] ?? (this.portGids[0] as Int32Array);
  }

  /** Makes sure that the slot's header template matches its context. */
  prepareTemplate(slot: QpSlot, c: number): void {
    if (slot.templateValid !== true) this.#writeTemplate(slot, c);
  }

  #writeTemplate(slot: QpSlot, c: number): void {
    if (slot.template === 0) slot.template = this.#templates.pop() ?? this.bytes.alloc(TEMPLATE_BYTES, 16);
    const w = this.bytes.i32;
    const macLow = w[c + QPC_DW.macLow] as number;
    const smacHigh = w[c + QPC_DW.smacHigh] as number;
    const dmacHigh = w[c + QPC_DW.dmacHigh] as number;
    const ipv6 = qpIpv6(w, c);
    const class_ = w[c + QPC_DW.slTclassFlow] as number;
    const g = c + QPC_DW.rgid;
    const gid = this.gidOf(c);
    slot.remoteQpn = (w[c + QPC_DW.remoteQpn] as number) & 0xffffff;
    slot.l3Bytes = ipv6 ? IPV6_BYTES : IPV4_BYTES;
    this.builder.writeTemplate(slot.template, {
      ipv6,
      dmacHigh: dmacHigh >>> 16,
      dmacLow: (dmacHigh << 16) | (macLow >>> 16),
      smacHigh: smacHigh >>> 16,
      smacLow: (smacHigh << 16) | (macLow & 0xffff),
      sip: w[c + QPC_DW.sip] as number,
      dip: w[c + QPC_DW.dip] as number,
      sgid: [gid[0] as number, gid[1] as number, gid[2] as number, gid[3] as number],
      dgid: [w[g] as number, w[g + 1] as number, w[g + 2] as number, w[g + 3] as number],
      trafficClass: (class_ >>> 20) & 0xff,
      hopLimit: (w[c + QPC_DW.ack] as number) & 0xff || 64,
      flowLabel: class_ & 0xfffff,
      sourcePort: udpSourcePort(class_, slot.qpn, slot.remoteQpn),
    });
    slot.templateValid = true;
  }

  /** What is kept of atomics of a queue pair, or its completion queue, could not be read: it is as lost as without its context. */
  loseResults(slot: QpSlot): void {
    if (!slot.lost && !slot.closed) this.loseContext(slot);
  }

  /** All queue pairs do nothing more, as if none of their contexts could be read. */
  loseAll(): void {
    for (const slot of this.#slots) if (slot !== undefined) stopSlot(slot);
  }

  /** The context of a queue pair could not be read: it does nothing more until software stops it; overridable for planting. */
  protected loseContext(slot: QpSlot): void {
    stopSlot(slot);
    this.engine.contextLost(slot);
  }

  #findContext(slot: QpSlot, asker: Resumable): number {
    if (slot.lost) return NO_CONTEXT;
    const c = this.queuePair(slot.qpn, asker);
    if (c === UNREADABLE) {
      this.loseContext(slot);
      return NO_CONTEXT;
    }
    if (c < 0) return c;
    slot.context = c;
    slot.contextRecord = this.qpc.latestRecord;
    slot.contextChanges = this.qpc.changes;
    slot.contextTouched = false;
    return c;
  }
}

/** Whoever asks for its context finds none, also where that is in the cache. */
function stopSlot(slot: QpSlot): void {
  slot.lost = true;
  slot.context = NO_CONTEXT;
}
