/**
 * Completion queues: writes CQEs in order through the CQ's memory region, keeps the producer index in the CQ context,
 * and raises a completion event when the CQ is armed (hangu-interface.md 8, hangu-rtl-facts.md 4.5 to 4.7).
 */
import { CQC_IGNORES_OVERRUN, CQC_STATUS, MPT_PERMISSION } from '../../layout/contexts.ts';
import {
  CQ_OVERFLOW,
  CQE,
  CQE_BYTES,
  CQE_GRH_FLAG,
  CQE_OPCODE_ERROR,
  CQE_OWNER_HW,
  EVENT_TYPE,
} from '../../layout/queues.ts';
import type { Resumable } from '../../../roce/rxPacket.ts';
import type { HanguCore } from '../core.ts';
import { NO_CONTEXT } from '../core.ts';
import { CompletionEntry } from './completionEntry.ts';
import type { CqWaitingUser } from './cqWaiting.ts';
import { CqWaiting } from './cqWaiting.ts';
import type { EventUnit } from './eventUnit.ts';
import { FAILED, MISS } from '../memory/entryTable.ts';
import { Ring } from './ring.ts';
import { XLATE } from '../memory/translation.ts';

/** Dword indices of a CQ context line: the command image as numbers, then the NIC's own. */
export const CQC_DW = {
  logSize: 3, // [31:24]
  compEqn: 4,
  pd: 5,
  lkey: 6,
  flags: 0,
  /** Completions that software has taken, as it has said, modulo 2^18; only where it says so. */
  consumer: 9,
  /** Index of its first completion. */
  firstProducer: 10,
  cqn: 11,
  producer: 12,
  /** 0 not armed, 1 next completion, 2 next solicited completion. */
  armed: 13,
  /** Producer index behind the newest solicited completion. */
  solicited: 14,
  marker: 15,
} as const;
const MARKER = 0x48474351;

/** @param life of the `IcmMap` */
export function cqcMarker(cqn: number, life: number): number {
  return cqn ^ MARKER ^ life;
}

/** Where the context of a CQ was found in the cache, what that had counted then, and whether it was changed since. */
class NotedContext {
  cqn = -1;
  at = 0;
  record = 0;
  changes = 0;
  touched = false;
}
/** Contexts noted, a power of two: the one of a CQ has the place of the low bits of its number. */
const NOTED = 256;

/**
 * A queue whose context is not in the cache does not hold up the others: up to `cqServices` queues wait at once, each
 * with its entries in order; what is posted for one more waits for a free place, in order too.
 */
export class CompletionUnit implements CqWaitingUser {
  protected readonly core: HanguCore;
  readonly #noted: readonly NotedContext[] = Array.from({ length: NOTED }, () => new NotedContext());
  readonly #events: EventUnit;
  /** Places of queues that wait; those in use come first. */
  readonly #places: CqWaiting[];
  #waiting = 0;
  /** Whether entries tell the offset of their WQE, and what they say of their owner. */
  readonly #reportsWqe: boolean;
  #owner = 0;
  /** Entries that wait for a place. */
  readonly #queue = new Ring<CompletionEntry>();
  #free: CompletionEntry | null = null;
  /** Queues whose context or ring could not be found for want of host memory: nothing is written there any more. */
  readonly #broken = new Set<number>();
  /** Queues that have overflowed: what is to be written there is lost. */
  readonly #overflowed = new Set<number>();
  /** Who wait until the entries of a queue pair are written. */
  readonly #awaiting: Resumable[] = [];

  constructor(core: HanguCore, events: EventUnit) {
    this.core = core;
    this.#events = events;
    this.#reportsWqe = core.config.cqeWqe !== 0;
    this.#owner = core.config.cqeOwner === 0 ? 0 : CQE_OWNER_HW << 24;
    this.#places = Array.from({ length: core.config.cqServices }, () => new CqWaiting(this));
  }

  /** An entry from the pool, all optional fields at their defaults. */
  acquire(): CompletionEntry {
    const e = this.#free;
    if (e === null) return new CompletionEntry();
    this.#free = e.next;
    e.next = null;
    e.imm = 0;
    e.syndrome = 0;
    e.grh = false;
    e.solicited = false;
    return e;
  }

  /** Queues a completion; those of one CQ are written in the order of these calls, behind all data written before. */
  post(e: CompletionEntry): void {
    if (this.#queue.length > 0 || !this.#begin(e)) this.#queue.push(e);
  }

  /** What a queue waited for has come. */
  goOn(q: CqWaiting): void {
    for (let e = q.head; e !== null; e = q.head) {
      if (!this.write(e, q)) return;
      q.head = e.next;
      this.#recycle(e);
    }
    this.#leave(q);
    while (this.#queue.length > 0 && this.#begin(this.#queue.first as CompletionEntry)) this.#queue.shift();
    this.core.cqc.wake();
    if (this.#awaiting.length > 0) for (const waiter of this.#awaiting.splice(0)) waiter.resume();
  }

  /** Whether no entry of a queue pair waits; if one does, `waiter` is resumed to ask again. */
  hasWritten(qpn: number, waiter: Resumable): boolean {
    if (!this.#isOwing(qpn)) return true;
    this.#awaiting.push(waiter);
    return false;
  }

  /** Software hands a queue over. */
  begins(cqn: number): void {
    this.#broken.delete(cqn);
    this.#overflowed.delete(cqn);
  }

  reset(): void {
    this.#queue.clear();
    this.#broken.clear();
    this.#overflowed.clear();
    this.#awaiting.length = 0;
    for (const q of this.#places) {
      q.head = null;
      q.pinned = false;
    }
    this.#waiting = 0;
  }

  /**
   * Arms a CQ: an event at the next completion, or at once when there is one that software had not seen as it rang.
   * `solicitedOnly` never weakens a stronger request (roce-transport.md 5.4).
   * @param consumer completions that software has taken, modulo 2^18
   */
  arm(cqn: number, solicitedOnly: boolean, consumer: number): void {
    const later = new ArmLater(this, cqn, solicitedOnly, consumer);
    const at = cqn < this.core.icm.cqc.entries ? this.core.cqc.lookup(cqn, later) : -2;
    if (at === FAILED) this.breaks(cqn);
    if (at < 0) return;
    const c = at >> 2;
    const w = this.core.bytes.i32;
    if (w[c + CQC_DW.marker] !== cqcMarker(cqn, this.core.icm.life)) return;
    this.core.cqc.touch(at);
    if (this.core.cqIndices) this.advance(w, c, consumer);
    if (this.#isOwed(c, solicitedOnly, consumer)) {
      w[c + CQC_DW.armed] = 0;
      this.#events.post(w[c + CQC_DW.compEqn] as number, EVENT_TYPE.completion, cqn);
    } else if (w[c + CQC_DW.armed] !== 1) w[c + CQC_DW.armed] = solicitedOnly ? 2 : 1;
  }

  /** Software says how many completions of a queue it has taken, modulo 2^18. */
  taken(cqn: number, consumer: number): void {
    const at = cqn < this.core.icm.cqc.entries ? this.core.cqc.lookup(cqn, new TakenLater(this, cqn, consumer)) : -2;
    if (at === FAILED) this.breaks(cqn);
    if (at < 0) return;
    const w = this.core.bytes.i32;
    if (w[(at >> 2) + CQC_DW.marker] !== cqcMarker(cqn, this.core.icm.life)) return;
    this.core.cqc.touch(at);
    this.advance(w, at >> 2, consumer);
  }

  /** Takes over what software has said, unless it had said more already; overridable for planting. */
  protected advance(w: Int32Array, c: number, consumer: number): void {
    if (isAhead(consumer, w[c + CQC_DW.consumer] as number)) w[c + CQC_DW.consumer] = consumer;
  }

  /** Whether there is no room for one more entry, by what software has said (roce-transport.md 5.5); overridable for planting. */
  protected isFull(w: Int32Array, c: number): boolean {
    if (((w[c + CQC_DW.flags] as number) & CQC_IGNORES_OVERRUN) !== 0) return false;
    const held = ((w[c + CQC_DW.producer] as number) - (w[c + CQC_DW.consumer] as number)) & INDEX_MASK;
    return held >= 1 << ((w[c + CQC_DW.logSize] as number) >>> 24);
  }

  /** Whether a completion has come that software has not seen: any, or a solicited one. */
  #isOwed(c: number, solicitedOnly: boolean, consumer: number): boolean {
    const w = this.core.bytes.i32;
    const producer = w[c + CQC_DW.producer] as number;
    if (!isAhead(producer, consumer)) return false;
    // The newest solicited one may be so long ago that an index modulo 2^18 does not tell.
    const since = (producer - (w[c + CQC_DW.solicited] as number)) >>> 0;
    return !solicitedOnly || since < ((producer - consumer) & INDEX_MASK);
  }

  /** Writes an entry at once, as is nearly always possible, or lets it wait; false when there is no place for that. */
  #begin(e: CompletionEntry): boolean {
    if (this.#waiting > 0) {
      const same = this.#waitingFor(e.cqn);
      if (same !== null) {
        same.append(e);
        return true;
      }
      if (this.#waiting === this.#places.length) return false;
    }
    const place = this.#places[this.#waiting] as CqWaiting;
    if (this.write(e, place) === true) this.#recycle(e);
    else {
      this.#waiting++;
      place.append(e);
    }
    return true;
  }

  #waitingFor(cqn: number): CqWaiting | null {
    for (let i = 0; i < this.#waiting; i++) {
      const q = this.#places[i] as CqWaiting;
      if (q.cqn === cqn) return q;
    }
    return null;
  }

  #isOwing(qpn: number): boolean {
    if (this.#queue.length > 0 && this.#queue.some((e) => e.qpn === qpn)) return true;
    for (let i = 0; i < this.#waiting; i++) {
      if ((this.#places[i] as CqWaiting).holds(qpn)) return true;
    }
    return false;
  }

  /** Frees the place of a queue of which everything has been written. */
  #leave(q: CqWaiting): void {
    const places = this.#places;
    const last = --this.#waiting;
    places[places.indexOf(q)] = places[last] as CqWaiting;
    places[last] = q;
    this.core.xlate.drop(q);
    if (q.pinned) this.core.cqc.unpin(q.cqn);
    q.pinned = false;
  }

  #recycle(e: CompletionEntry): void {
    e.next = this.#free;
    this.#free = e;
  }

  /** Writes one completion; false when it has to wait, and `q` will be resumed. */
  protected write(e: CompletionEntry, q: CqWaiting): boolean {
    const { bytes, cqc } = this.core;
    const { cqn } = e;
    if (this.#broken.size > 0 && this.#broken.has(cqn)) return this.untold(e);
    if (this.#overflowed.size > 0 && this.#overflowed.has(cqn)) return this.lose(e);
    const noted = this.#noted[cqn & (NOTED - 1)] as NotedContext;
    const there = noted.cqn === cqn && cqc.again(cqn, noted.record, noted.changes);
    const at = there ? noted.at : this.#findContext(cqn, q, noted);
    if (at === MISS) return false;
    if (at === FAILED) return this.#unreadable(e);
    if (at < 0) return this.#lost(e);
    const c = at >> 2;
    const w = bytes.i32;
    if (this.core.cqIndices && this.isFull(w, c)) return this.#overflow(e, c, noted);
    const offset = this.slotOffset(w[c + CQC_DW.producer] as number, (w[c + CQC_DW.logSize] as number) >>> 24);
    const x = this.core.xlate;
    const lkey = w[c + CQC_DW.lkey] as number;
    const pd = w[c + CQC_DW.pd] as number;
    const r = x.translate(lkey, pd, 0, offset, CQE_BYTES, MPT_PERMISSION.localWrite, true, q);
    if (r === XLATE.wait) {
      q.pinned ||= cqc.pin(cqn);
      return false;
    }
    if (r === XLATE.failed) return this.#unreadable(e);
    if (r !== XLATE.ok) return this.#lost(e);
    this.#store(e, x.paHi, x.paLo);
    if (noted.touched !== true) this.#touch(noted);
    this.#advance(e, c);
    return true;
  }

  #touch(noted: NotedContext): void {
    noted.touched = true;
    this.core.cqc.touchRecord(noted.record);
  }

  /** Byte-store offset of the context of a CQ; `MISS` and `q` will be resumed; another number below zero: none. */
  #findContext(cqn: number, q: CqWaiting, noted: NotedContext): number {
    const { cqc } = this.core;
    const at = cqn < this.core.icm.cqc.entries ? cqc.lookup(cqn, q) : NO_CONTEXT;
    if (at < 0) return at;
    if (this.core.bytes.i32[(at >> 2) + CQC_DW.marker] !== cqcMarker(cqn, this.core.icm.life)) return NO_CONTEXT;
    noted.cqn = cqn;
    noted.at = at;
    noted.record = cqc.latestRecord;
    noted.changes = cqc.changes;
    noted.touched = false;
    return at;
  }

  /** Counts the entry, and raises the event that an armed CQ asks for. */
  #advance(e: CompletionEntry, c: number): void {
    const w = this.core.bytes.i32;
    const producer = ((w[c + CQC_DW.producer] as number) + 1) | 0;
    w[c + CQC_DW.producer] = producer;
    const wanted = this.isSolicited(e);
    if (wanted) w[c + CQC_DW.solicited] = producer;
    const armed = w[c + CQC_DW.armed] as number;
    if (armed === 1 || (armed === 2 && wanted)) {
      w[c + CQC_DW.armed] = 0;
      this.#events.post(w[c + CQC_DW.compEqn] as number, EVENT_TYPE.completion, e.cqn);
    }
  }

  /** Whether a CQ that is armed for solicited completions wants an event for this one; overridable for planting. */
  protected isSolicited(e: CompletionEntry): boolean {
    return e.solicited || e.syndrome !== 0;
  }

  /** Byte offset of the k-th CQE ever written; overridable for planting. */
  protected slotOffset(k: number, logSize: number): number {
    return (k & ((1 << logSize) - 1)) * CQE_BYTES;
  }

  /** Fills the 32 bytes at dword `d`; overridable for planting. */
  protected build(w: Int32Array, d: number, e: CompletionEntry): void {
    const { syndrome } = e;
    w[d] = e.qpn | 0;
    w[d + 1] = 0;
    w[d + (CQE.remoteQpn >> 2)] = e.remoteQpn | 0;
    w[d + (CQE.slIpok >> 2)] = e.grh ? CQE_GRH_FLAG : 0;
    w[d + (CQE.immediate >> 2)] = (syndrome !== 0 ? syndrome : e.imm) | 0;
    w[d + (CQE.byteCount >> 2)] = e.byteCount | 0;
    w[d + (CQE.wqe >> 2)] = this.#reportsWqe === true ? e.wqe | 0 : 0;
    const opcode = syndrome !== 0 ? CQE_OPCODE_ERROR : e.opcode;
    w[d + (CQE.opcode >> 2)] = opcode | (e.isSend === true ? 0x100 : 0) | this.#owner;
  }

  #store(e: CompletionEntry, hi: number, lo: number): void {
    const dma = this.core.dma;
    const block = dma.acquireBlock();
    const at = dma.blockOffset(block);
    this.build(this.core.bytes.i32, at >> 2, e);
    dma.write(hi, lo, CQE_BYTES, at, block);
    dma.releaseBlock(block);
  }

  /** A completion queue is in error: an event says so, once; overridable for planting. */
  protected breaks(cqn: number): void {
    if (this.#broken.has(cqn)) return;
    this.#broken.add(cqn);
    this.#events.async(EVENT_TYPE.cqError, cqn);
  }

  /** An entry for a queue in error: its queue pair stops (roce-transport.md 5.5); overridable for planting. */
  protected untold(e: CompletionEntry): boolean {
    this.core.loseResults(this.core.slot(e.qpn));
    return true;
  }

  /** There is no room for an entry: the queue is in error from now on. */
  #overflow(e: CompletionEntry, c: number, noted: NotedContext): boolean {
    const w = this.core.bytes.i32;
    this.#overflowed.add(e.cqn);
    w[c + CQC_DW.flags] = ((w[c + CQC_DW.flags] as number) & STATUS_CLEAR) | (CQC_STATUS.overflow << CQC_STATUS.shift);
    if (noted.touched !== true) this.#touch(noted);
    this.tellOverflow(e.cqn);
    return this.lose(e);
  }

  /** Says that a queue has overflowed; overridable for planting. */
  protected tellOverflow(cqn: number): void {
    this.#events.async(EVENT_TYPE.cqError, cqn, CQ_OVERFLOW);
  }

  /** An entry for a queue that has overflowed is lost, and its queue pair stops (roce-transport.md 5.5); overridable for planting. */
  protected lose(e: CompletionEntry): boolean {
    this.core.engine.completionLost(this.core.slot(e.qpn));
    return true;
  }

  #unreadable(e: CompletionEntry): boolean {
    this.breaks(e.cqn);
    return this.untold(e);
  }

  /** The CQ cannot be written: nothing can be reported there, so an event says it. */
  #lost(e: CompletionEntry): boolean {
    this.#events.async(EVENT_TYPE.cqError, e.cqn);
    return true;
  }
}

/** Arms the CQ again once its context has been fetched. */
class ArmLater implements Resumable {
  readonly #unit: CompletionUnit;
  readonly #cqn: number;
  readonly #solicited: boolean;
  readonly #consumer: number;

  constructor(unit: CompletionUnit, cqn: number, solicited: boolean, consumer: number) {
    this.#unit = unit;
    this.#cqn = cqn;
    this.#solicited = solicited;
    this.#consumer = consumer;
  }

  resume(): void {
    this.#unit.arm(this.#cqn, this.#solicited, this.#consumer);
  }
}

/** Takes an index over once the context has been fetched. */
class TakenLater implements Resumable {
  readonly #unit: CompletionUnit;
  readonly #cqn: number;
  readonly #consumer: number;

  constructor(unit: CompletionUnit, cqn: number, consumer: number) {
    this.#unit = unit;
    this.#cqn = cqn;
    this.#consumer = consumer;
  }

  resume(): void {
    this.#unit.taken(this.#cqn, this.#consumer);
  }
}

/** All flags of a queue but its status. */
const STATUS_CLEAR = 0x0fff_ffff;
/** Consumer indices are told modulo 2^18. */
const INDEX_MASK = (1 << 18) - 1;

/** Whether index `a` is ahead of `b`, both modulo 2^18. */
function isAhead(a: number, b: number): boolean {
  return ((a - b) << 14) >> 14 > 0;
}
