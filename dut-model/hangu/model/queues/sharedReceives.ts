/**
 * Shared receive queues: receives that several queue pairs take, in the order of posting, whoever asks first.
 *
 * Where a queue stands is in its context (`SRQC_FIELD`). A receive is taken in two steps: it is counted out of the queue for a queue
 * pair, at once, and then read, one of a queue at a time, because only its next segment says which slot follows.
 */
import { CMD_STATUS } from '../../layout/commands.ts';
import { EVENT_TYPE, MAX_RECV_WQE, NEXT_SEG, WQE_UNIT } from '../../layout/queues.ts';
import { SRQ_COUNT_MASK, SRQ_STATE, SRQC_BYTES, SRQC_DW, SRQN_MASK } from '../../layout/sharedReceives.ts';
import { BlockPool } from '../../../../uvm/bytes/blockPool.ts';
import { swap32 } from '../../../roce/endian.ts';
import type { Resumable } from '../../../roce/rxPacket.ts';
import type { HanguCore } from '../core.ts';
import { FAILED, MISS } from '../memory/entryTable.ts';
import { XLATE } from '../memory/translation.ts';
import { QPC_DW } from '../qpContext.ts';
import type { QpSlot } from '../transport/qpSlot.ts';
import type { EventUnit } from './eventUnit.ts';
import { RECV, scatterRoom } from './receives.ts';
import { type SharedEngine, SharedQueue, SharedTake, TAKE } from './sharedTake.ts';

const MARKER = 0x48475352;
/** There is no such queue. */
const NO_QUEUE = -2;
/** Most bytes of a receive, with the segment that ends it. */
const MOST_BYTES = MAX_RECV_WQE + WQE_UNIT;

export class SharedReceives implements SharedEngine {
  protected readonly core: HanguCore;
  protected readonly events: EventUnit;
  readonly #blocks: BlockPool;
  /** By number, as far as they were used. */
  readonly #queues = new Map<number, SharedQueue>();

  constructor(core: HanguCore, events: EventUnit) {
    this.core = core;
    this.events = events;
    this.#blocks = new BlockPool(core.bytes, MOST_BYTES);
  }

  reset(): void {
    this.#queues.clear();
  }

  // ---- what queue pairs ask for

  /** As `ReceiveQueue.take`, for a queue pair whose context at dword `c` names a shared queue. */
  take(slot: QpSlot, c: number, asker: Resumable): number {
    const held = this.held(slot, asker);
    if (held !== RECV.empty) return held;
    const { core } = this;
    const t = this.takeOf(slot, c);
    const q = this.#context(t.queue.srqn, asker);
    if (q === MISS) return RECV.wait;
    if (q === FAILED) this.#tell(t.queue);
    if (q < 0 || this.#isInError(q)) return RECV.failed;
    const available = this.available(q);
    if (available === 0) return RECV.empty;
    this.#setAvailable(q, available - 1);
    this.checkLimit(t.queue.srqn, q, available - 1);
    t.stage = TAKE.wanted;
    t.waiter = asker;
    t.pd = this.domainOf(core.bytes.i32[q + SRQC_DW.pd] as number, c);
    this.enqueue(t.queue, t);
    this.readNext(t.queue);
    return RECV.wait;
  }

  /** The receive that a queue pair has taken, which is the current one then. `RECV.empty`: it has taken none. */
  held(slot: QpSlot, asker: Resumable): number {
    if (slot.recvSegment >= 0) return RECV.taken;
    const t = slot.shared;
    if (t === null || t.stage === TAKE.none) return RECV.empty;
    if (t.stage === TAKE.wanted) {
      t.awaitedBy(asker);
      return RECV.wait;
    }
    if (t.stage === TAKE.failed) {
      t.stage = TAKE.none;
      return RECV.failed;
    }
    this.#use(slot, t);
    return RECV.taken;
  }

  /** What a queue pair has of its shared queue, made at its first dealing with it. @param c dword of its context */
  takeOf(slot: QpSlot, c: number): SharedTake {
    slot.shared ??= new SharedTake(this, this.#queueOf((this.core.bytes.i32[c + QPC_DW.srqn] as number) & SRQN_MASK));
    return slot.shared;
  }

  /** The receive that a queue pair holds has completed. */
  consume(t: SharedTake): void {
    t.stage = TAKE.none;
    this.#release(t);
  }

  /** The queue pair is forgotten. */
  close(t: SharedTake): void {
    t.forgotten = true;
    t.waiter = null;
    if (t.stage !== TAKE.wanted) this.consume(t);
  }

  /** A queue pair is set up with a queue. @returns a command status; `MISS` = ask again */
  join(srqn: number, asker: Resumable): number {
    const q = this.#context(srqn, asker);
    if (q === MISS) return MISS;
    if (q < 0) return q === FAILED ? CMD_STATUS.internal : CMD_STATUS.badResource;
    this.#queueOf(srqn).users++;
    return CMD_STATUS.ok;
  }

  /** It is reset. */
  leave(srqn: number): void {
    this.#queueOf(srqn).users--;
  }

  // ---- what software asks for

  /** A doorbell: receives posted so far, modulo 2^16. One that comes behind a later one says nothing new. */
  posted(srqn: number, posted: number): void {
    const q = this.#context(srqn, { resume: () => this.posted(srqn, posted) });
    if (q < 0) return;
    const w = this.core.bytes.i32;
    const more = ((posted - (w[q + SRQC_DW.posted] as number)) << 16) >> 16;
    if (more <= 0) return;
    w[q + SRQC_DW.posted] = posted & SRQ_COUNT_MASK;
    this.#setAvailable(q, this.available(q) + more);
  }

  /** SW2HW_SRQ. @param image dword of the inbox @returns a command status, or `MISS` */
  open(srqn: number, image: number, asker: Resumable): number {
    const { core } = this;
    const at = core.srqc.lookup(srqn, asker);
    if (at === MISS) return MISS;
    if (at < 0) return at === FAILED ? CMD_STATUS.internal : CMD_STATUS.badResource;
    const w = core.bytes.i32;
    const q = at >> 2;
    const marker = srqcMarker(srqn, core.icm.life);
    if (w[q + SRQC_DW.marker] === marker) return CMD_STATUS.badResourceState;
    for (let i = 0; i < SRQC_BYTES >> 2; i++) w[q + i] = swap32(w[image + i] as number);
    this.#setState(q, SRQ_STATE.ready);
    w[q + SRQC_DW.level] = 0;
    w[q + SRQC_DW.marker] = marker;
    core.srqc.alter(at);
    this.#queues.delete(srqn);
    return CMD_STATUS.ok;
  }

  /** HW2SW_SRQ. @returns as `open` */
  closeQueue(srqn: number, asker: Resumable): number {
    const q = this.#context(srqn, asker);
    if (q < 0) return statusWithout(q);
    if (this.isUsed(srqn)) return CMD_STATUS.badResourceState;
    this.core.bytes.i32[q + SRQC_DW.marker] = 0;
    this.core.srqc.alter(q << 2);
    this.#queues.delete(srqn);
    return CMD_STATUS.ok;
  }

  /** ARM_SRQ. @returns as `open` */
  arm(srqn: number, limit: number, asker: Resumable): number {
    const q = this.#context(srqn, asker);
    if (q < 0) return statusWithout(q);
    this.setLimit(q, limit);
    return CMD_STATUS.ok;
  }

  /** QUERY_SRQ. @param outbox byte-store offset @returns as `open` */
  query(srqn: number, outbox: number, asker: Resumable): number {
    const q = this.#context(srqn, asker);
    if (q < 0) return statusWithout(q);
    const w = this.core.bytes.i32;
    for (let i = 0; i < SRQC_DW.marker; i++) w[(outbox >> 2) + i] = swap32(w[q + i] as number);
    w[(outbox >> 2) + SRQC_DW.marker] = 0;
    return CMD_STATUS.ok;
  }

  // ---- reading

  /** Reads the next receive that is wanted, unless one is being read. */
  readNext(queue: SharedQueue): void {
    const t = queue.head;
    if (queue.reading || t === null) return;
    const { core } = this;
    const q = this.#context(queue.srqn, queue);
    if (q === MISS) return;
    if (q < 0) {
      this.#fails(queue, q);
      return;
    }
    queue.pinned ||= core.srqc.pin(queue.srqn);
    const w = core.bytes.i32;
    const bytes = 1 << (w[q + SRQC_DW.logStride] as number);
    const at = (w[q + SRQC_DW.next] as number) * bytes;
    const x = core.xlate;
    const domain = w[q + SRQC_DW.pd] as number;
    const result = x.translate(w[q + SRQC_DW.lkey] as number, domain, 0, at, bytes, 0, true, queue);
    if (result === XLATE.wait) return;
    if (result !== XLATE.ok) {
      this.#fails(queue, q);
      return;
    }
    const { paHi, paLo } = x;
    t.offset = at;
    t.block = this.#blocks.acquire();
    queue.reading = true;
    core.dma.read(paHi, paLo, bytes, this.#blocks.offset(t.block), t);
  }

  /** A receive has been read: its next segment says which slot follows. */
  hasRead(t: SharedTake, ok: boolean): void {
    const { queue } = t;
    queue.reading = false;
    // Its context has been pinned since it was asked for.
    const q = this.#context(queue.srqn, queue);
    const follows = ok && q >= 0 ? this.#slotBehind(q, t) : -1;
    if (follows < 0) {
      this.#fails(queue, q);
      return;
    }
    this.core.bytes.i32[q + SRQC_DW.next] = follows;
    this.core.srqc.touch(q << 2);
    queue.shift();
    t.stage = TAKE.read;
    this.#wake(t);
    this.readNext(queue);
    this.#letGo(queue);
  }

  // ---- overridable for planting

  /** Receives that a queue has. @param q dword of its context */
  protected available(q: number): number {
    return (this.core.bytes.i32[q + SRQC_DW.level] as number) & SRQ_COUNT_MASK;
  }

  /** Software is told once that fewer receives are left than it asked for. @param q dword of the context */
  protected checkLimit(srqn: number, q: number, available: number): void {
    const limit = (this.core.bytes.i32[q + SRQC_DW.level] as number) >>> 16;
    if (limit === 0 || available >= limit) return;
    this.setLimit(q, 0);
    this.events.async(EVENT_TYPE.srqLimit, srqn);
  }

  protected setLimit(q: number, limit: number): void {
    const w = this.core.bytes.i32;
    w[q + SRQC_DW.level] = ((w[q + SRQC_DW.level] as number) & SRQ_COUNT_MASK) | (limit << 16);
    this.core.srqc.touch(q << 2);
  }

  /** Protection domain whose keys open a receive: that of its queue. @param _c dword of the queue pair's context */
  protected domainOf(domain: number, _c: number): number {
    return domain;
  }

  /** Slot that follows the receive at dword `d`. */
  protected follower(w: Int32Array, d: number, logStride: number): number {
    return (((w[d] as number) >>> NEXT_SEG.offsetShift) * WQE_UNIT) >>> logStride;
  }

  /** Whether queue pairs are set up with a queue. */
  protected isUsed(srqn: number): boolean {
    return this.#queueOf(srqn).users > 0;
  }

  /** A queue pair waits for its receive, behind those that came before. */
  protected enqueue(queue: SharedQueue, t: SharedTake): void {
    queue.append(t);
  }

  /** Dword of a context; `MISS` and `asker` is resumed; another number below zero: there is none. */
  #context(srqn: number, asker: Resumable): number {
    const { srqc, icm, bytes } = this.core;
    if (srqn >= icm.srqc.entries) return NO_QUEUE;
    const at = srqc.lookup(srqn, asker);
    if (at < 0) return at;
    const q = at >> 2;
    return bytes.i32[q + SRQC_DW.marker] === srqcMarker(srqn, icm.life) ? q : NO_QUEUE;
  }

  #queueOf(srqn: number): SharedQueue {
    const known = this.#queues.get(srqn);
    if (known !== undefined) return known;
    const made = new SharedQueue(this, srqn);
    this.#queues.set(srqn, made);
    return made;
  }

  /** Slot that follows a receive that has been read, -1 where there is none of that number. */
  #slotBehind(q: number, t: SharedTake): number {
    const w = this.core.bytes.i32;
    const slots = 1 << (((w[q + SRQC_DW.stateSize] as number) >>> 24) & 15);
    const slot = this.follower(w, this.#blocks.offset(t.block) >> 2, w[q + SRQC_DW.logStride] as number);
    return slot < slots ? slot : -1;
  }

  #setAvailable(q: number, available: number): void {
    const w = this.core.bytes.i32;
    w[q + SRQC_DW.level] = ((w[q + SRQC_DW.level] as number) & ~SRQ_COUNT_MASK) | (available & SRQ_COUNT_MASK);
    this.core.srqc.touch(q << 2);
  }

  #isInError(q: number): boolean {
    return (this.core.bytes.i32[q + SRQC_DW.stateSize] as number) >>> 28 === SRQ_STATE.error;
  }

  #setState(q: number, state: number): void {
    const w = this.core.bytes.i32;
    w[q + SRQC_DW.stateSize] = ((w[q + SRQC_DW.stateSize] as number) & 0x0fff_ffff) | (state << 28);
    this.core.srqc.touch(q << 2);
  }

  #use(slot: QpSlot, t: SharedTake): void {
    const wqe = this.#blocks.offset(t.block);
    slot.recvSegment = wqe + WQE_UNIT;
    slot.recvOffset = t.offset;
    slot.recvSge = 0;
    slot.recvSgeDone = 0;
    slot.recvRoom = scatterRoom(this.core.bytes.i32, wqe, MOST_BYTES);
  }

  #release(t: SharedTake): void {
    if (t.block >= 0) this.#blocks.release(t.block);
    t.block = -1;
  }

  /** Its receives cannot be found any more: whoever waits for one goes without. @param q dword of its context, below zero = there is none */
  #fails(queue: SharedQueue, q: number): void {
    if (q >= 0) this.#setState(q, SRQ_STATE.error);
    this.#tell(queue);
    for (let t = queue.shift(); t !== null; t = queue.shift()) {
      this.#release(t);
      t.stage = TAKE.failed;
      this.#wake(t);
    }
    this.#letGo(queue);
  }

  /** A queue is in error: an event says so, once. */
  #tell(queue: SharedQueue): void {
    if (!queue.failed) this.events.async(EVENT_TYPE.srqError, queue.srqn);
    queue.failed = true;
  }

  #wake(t: SharedTake): void {
    const { waiter } = t;
    t.waiter = null;
    if (t.forgotten) this.consume(t);
    else waiter?.resume();
  }

  #letGo(queue: SharedQueue): void {
    if (!queue.pinned || queue.head !== null) return;
    queue.pinned = false;
    this.core.srqc.unpin(queue.srqn);
    this.core.srqc.wake();
  }
}

/** @param life of the `IcmMap` */
function srqcMarker(srqn: number, life: number): number {
  return srqn ^ MARKER ^ life;
}

/** What a command ends with for a queue that there is not. */
function statusWithout(q: number): number {
  if (q === MISS) return MISS;
  return q === FAILED ? CMD_STATUS.internal : CMD_STATUS.badResourceState;
}
