/**
 * The ACK queue: results of atomics in host memory, so that a repeat returns the first result and changes nothing, however
 * many a peer may have outstanding (roce-transport.md 9). One queue for each RC queue pair, a ring of `aqDepth` entries in
 * groups of `aqGroup`. Its context knows the first PSN of each group: a look-up selects one group by it (level 1) and
 * reads only that (level 2). Without groups it reads all entries in use.
 *
 * With `aqRepeats` READs and WRITEs have entries too, in longer ones: a repeat of a READ is executed again if its range is
 * within that of an entry, one of a WRITE is acknowledged.
 *
 * Every access goes by DMA: an entry for each result, the context when a group begins and when it leaves the chip, one group
 * for each repeat.
 */
import { AQ_VALID, AQE, AQE_BYTES, AQE_LONG_BYTES, AQE_OPERATION_SHIFT } from '../../../layout/ackQueue.ts';
import { BTH_OP, PSN_MASK } from '../../../../../rdma/bth.ts';
import { psnCmp } from '../../../../roce/psn.ts';
import type { RxPacket } from '../../../../roce/rxPacket.ts';
import type { HanguCore } from '../../core.ts';
import { NO_READ, type QpSlot, type SavedRead } from '../qpSlot.ts';
import { type AckContext, depthOf } from './ackContext.ts';
import { AckContextCache } from './ackContextCache.ts';
import { AckLookup, LOOKUP } from './ackLookup.ts';

/** Outcome of `repeat`. */
export const REPEAT = { waiting: 0, hit: 1, miss: 2 } as const;

/** Bytes of entries that are compared in a clock cycle: those of one transfer of the bus. */
const BYTES_PER_CYCLE = 64;

/** What is above the PSN in the entry of a READ. */
const READ_ENTRY = (BTH_OP.readRequest << AQE_OPERATION_SHIFT) | AQ_VALID;

function isRead(p: RxPacket): boolean {
  return (p.opcode & 31) === BTH_OP.readRequest;
}

/** Part of the queue that the chip needs of a queue pair. */
export class AckQueue {
  /** Result of the last `repeat` that hit. */
  originalHi = 0;
  originalLo = 0;
  /** The same for a READ: what its entry says. */
  readonly read: SavedRead = { ...NO_READ };
  /** READs and WRITEs have entries too. */
  readonly keepsAll: boolean;

  protected readonly core: HanguCore;
  protected readonly contexts: AckContextCache;
  readonly #buffers: number[] = [];
  readonly #entryBytes: number;

  constructor(core: HanguCore) {
    this.core = core;
    this.contexts = this.cache();
    this.keepsAll = core.config.aqRepeats !== 0;
    this.#entryBytes = this.keepsAll ? AQE_LONG_BYTES : AQE_BYTES;
  }

  /** Makes sure that the context of a queue pair is on the chip. @returns false when the packet has to wait */
  open(slot: QpSlot, p: RxPacket): boolean {
    if (this.contexts.find(slot) !== null) return true;
    if (p.work === null) this.#load(slot, p);
    return false;
  }

  /** Writes the result of an atomic whose queue is open. */
  append(slot: QpSlot, p: RxPacket, hi: number, lo: number): void {
    this.#append(slot, p, (w, at) => this.write(w, at, p, hi, lo));
  }

  /** Writes an entry for a READ, or for a WRITE of which this is the last packet; its queue is open. @param psns of its answer */
  appendRequest(slot: QpSlot, p: RxPacket, psns: number): void {
    this.#append(slot, p, (w, at) => this.#writeRequest(w, at, p, psns));
  }

  /**
   * Looks a repeated atomic up.
   * @returns `REPEAT`; with `waiting` the packet is resumed, call again then
   */
  repeat(slot: QpSlot, p: RxPacket): number {
    const lookup = p.work as AckLookup | null;
    if (lookup === null) return this.#begin(slot, p);
    if (lookup.stage < LOOKUP.found) return REPEAT.waiting;
    p.work = null;
    lookup.packet = null;
    this.#buffers.push(lookup.buffer);
    if (lookup.stage === LOOKUP.missed) return REPEAT.miss;
    const w = this.core.bytes.i32;
    this.originalLo = w[lookup.entry + AQE.lo] as number;
    this.originalHi = w[lookup.entry + AQE.hi] as number;
    if (isRead(p)) {
      const { read } = this;
      read.psn = (w[lookup.entry + AQE.psn] as number) & PSN_MASK;
      read.psns = w[lookup.entry + AQE.psns] as number;
      read.vaHi = this.originalHi;
      read.vaLo = this.originalLo;
      read.rkey = w[lookup.entry + AQE.rkey] as number;
      read.length = (w[lookup.entry + AQE.length] as number) >>> 0;
    }
    return REPEAT.hit;
  }

  reset(): void {
    this.contexts.reset();
  }

  /** The contexts on the chip; overridable for planting. */
  protected cache(): AckContextCache {
    return new AckContextCache(this.core);
  }

  /** Number of the entry that a result goes to; overridable for planting. */
  protected place(context: AckContext): number {
    return context.next;
  }

  /** Makes an entry at dword `at`; overridable for planting. */
  protected write(w: Int32Array, at: number, p: RxPacket, hi: number, lo: number): void {
    w[at + AQE.psn] = p.psn | ((p.opcode & 31) << AQE_OPERATION_SHIFT) | AQ_VALID;
    w[at + AQE.psns] = 0;
    w[at + AQE.lo] = lo;
    w[at + AQE.hi] = hi;
  }

  /** Makes an entry of a READ or WRITE at dword `at`. */
  #writeRequest(w: Int32Array, at: number, p: RxPacket, psns: number): void {
    w[at + AQE.psn] = p.psn | ((p.opcode & 31) << AQE_OPERATION_SHIFT) | AQ_VALID;
    w[at + AQE.psns] = psns;
    w[at + AQE.lo] = p.vaLo;
    w[at + AQE.hi] = p.vaHi;
    w[at + AQE.rkey] = p.rkey;
    w[at + AQE.length] = p.dmaLength | 0;
  }

  /** Whether the entry at dword `at` is that of a READ whose answer has the PSN of a repeat. */
  #answers(w: Int32Array, at: number, p: RxPacket): boolean {
    const first = w[at + AQE.psn] as number;
    const behind = psnCmp(p.psn, first & PSN_MASK);
    return (first & ~PSN_MASK) === READ_ENTRY && behind >= 0 && behind < (w[at + AQE.psns] as number);
  }

  #append(slot: QpSlot, p: RxPacket, write: (w: Int32Array, at: number) => void): void {
    const context = this.contexts.find(slot);
    if (context === null) return;
    const { core } = this;
    const { dma } = core;
    const block = dma.acquireBlock();
    const at = dma.blockOffset(block);
    const w = core.bytes.i32;
    w.fill(0, at >> 2, (at + this.#entryBytes) >> 2);
    write(w, at >> 2);
    const place = context.startLo + this.place(context) * this.#entryBytes;
    dma.write(context.startHi, place, this.#entryBytes, at, block);
    dma.releaseBlock(block);
    if (context.append(p.psn)) this.contexts.writeBack(context);
  }

  /** Whether an entry, of which this is the first dword, is that of a packet; overridable for planting. */
  protected matches(entry: number, p: RxPacket): boolean {
    return entry === (p.psn | ((p.opcode & 31) << AQE_OPERATION_SHIFT) | AQ_VALID);
  }

  #load(slot: QpSlot, p: RxPacket): void {
    const wait = { packet: p as RxPacket | null, abandon: () => (wait.packet = null) };
    p.work = wait;
    this.contexts.load(slot, (ok) => {
      if (!ok) this.unread(slot);
      if (wait.packet === null) return;
      p.work = null;
      p.resume();
    });
  }

  #begin(slot: QpSlot, p: RxPacket): number {
    const context = this.contexts.find(slot);
    if (context === null) {
      this.#load(slot, p);
      return REPEAT.waiting;
    }
    const { first, count } = this.range(context, p.psn);
    if (count <= 0) return REPEAT.miss;
    const { bytes, config, dma } = this.core;
    const buffer = this.#buffers.pop() ?? bytes.alloc(depthOf(config) * this.#entryBytes, 64);
    const lookup = new AckLookup(p, buffer, this.#proceed, this.#idle);
    lookup.stage = LOOKUP.reading;
    lookup.count = count;
    p.work = lookup;
    dma.delay = this.core.cycles(config.aqCycles);
    const bytesOfEntry = this.#entryBytes;
    dma.read(context.startHi, context.startLo + first * bytesOfEntry, count * bytesOfEntry, buffer, lookup);
    dma.delay = 0;
    return REPEAT.waiting;
  }

  /** The context or entries of a queue could not be read; overridable for planting. */
  protected unread(slot: QpSlot): void {
    this.core.loseResults(slot);
  }

  /** Level 1 of a look-up; overridable for planting. */
  protected range(context: AckContext, psn: number): { readonly first: number; readonly count: number } {
    return context.rangeOf(psn);
  }

  readonly #proceed = (lookup: AckLookup, ok: boolean): void => {
    const { packet } = lookup;
    if (packet === null) {
      this.#buffers.push(lookup.buffer);
      return;
    }
    if (!ok) this.unread(packet.slot as QpSlot);
    if (lookup.stage === LOOKUP.reading && ok) {
      lookup.stage = LOOKUP.searching;
      const cycles = Math.ceil((lookup.count * this.#entryBytes) / BYTES_PER_CYCLE);
      this.core.scheduler.schedule(this.core.cycles(cycles), lookup, 0);
      return;
    }
    lookup.stage = ok && this.#search(lookup, packet) ? LOOKUP.found : LOOKUP.missed;
    packet.resume();
  };

  /** A look-up of which nothing is read any more has ended without its packet. */
  readonly #idle = ({ buffer }: AckLookup): void => {
    this.#buffers.push(buffer);
  };

  /** Level 2, once the entries are there. */
  #search(lookup: AckLookup, p: RxPacket): boolean {
    const w = this.core.bytes.i32;
    for (let i = 0; i < lookup.count; i++) {
      const at = (lookup.buffer + i * this.#entryBytes) >> 2;
      if (!(isRead(p) ? this.#answers(w, at, p) : this.matches(w[at] as number, p))) continue;
      lookup.entry = at;
      return true;
    }
    return false;
  }
}
