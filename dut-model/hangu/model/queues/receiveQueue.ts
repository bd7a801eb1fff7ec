/**
 * Receive WQEs: a linear walk of the receive ring with a prefetch of 512 bytes (hangu-rtl-facts.md 4.4, 11 no. 4, 5).
 *
 * There is no receive doorbell. The n-th RECV lies at (n * stride) mod ring length. A slot whose first 16 bytes are
 * zero is empty. Within a prefetched block the entries are good up to the first one that ends its list (size of next
 * = 0): what follows may be stale and is read again when it is needed.
 */
import { NEXT_SEG, RECV_PREFETCH, WQE_UNIT } from '../../layout/queues.ts';
import { BlockPool } from '../../../../uvm/bytes/blockPool.ts';
import type { Resumable } from '../../../roce/rxPacket.ts';
import type { HanguCore } from '../core.ts';
import type { DmaClient } from '../../../roce/dmaEngine.ts';
import { QPC_DW, qpPd, rqStride, takesShared } from '../qpContext.ts';
import type { QpSlot } from '../transport/qpSlot.ts';
import { XLATE } from '../memory/translation.ts';
import { isEmptySegment, RECV, scatterRoom } from './receives.ts';
import type { SharedReceives } from './sharedReceives.ts';

/** A prefetch in flight. Pooled. */
class Prefetch implements DmaClient {
  next: Prefetch | null = null;
  slot: QpSlot | null = null;
  stride = 0;
  length = 0;
  readonly #queue: ReceiveQueue;

  constructor(queue: ReceiveQueue) {
    this.#queue = queue;
  }

  dmaDone(_arg: number, ok: boolean): void {
    this.#queue.arrived(this, ok);
  }
}

/** A packet waits for its receive when its queue pair fails, and the flush of what is posted waits as well. */
class Both implements Resumable {
  readonly #first: Resumable;
  readonly #second: Resumable;

  constructor(first: Resumable, second: Resumable) {
    this.#first = first;
    this.#second = second;
  }

  resume(): void {
    this.#first.resume();
    this.#second.resume();
  }
}

export class ReceiveQueue {
  /** Of queue pairs that have no ring of their own. Set once after construction. */
  shared!: SharedReceives;

  protected readonly core: HanguCore;
  /** One for each queue pair with receives at hand. */
  readonly #blocks: BlockPool;
  #free: Prefetch | null = null;

  constructor(core: HanguCore) {
    this.core = core;
    this.#blocks = new BlockPool(core.bytes, RECV_PREFETCH);
  }

  /**
   * Makes the next RECV the slot's current one. `RECV.wait`: `asker` is resumed, call again. `RECV.empty`: nothing is
   * posted. A RECV that is already taken stays.
   */
  take(slot: QpSlot, c: number, asker: Resumable): number {
    if (slot.recvSegment >= 0) return RECV.taken;
    if (takesShared(this.core.bytes.i32, c)) return this.shared.take(slot, c, asker);
    const head = this.core.bytes.i32[c + QPC_DW.rqHead] as number;
    if (slot.rqBlock >= 0 && head >= slot.rqFrom && head < slot.rqTo) {
      this.#use(slot, c, head);
      return RECV.taken;
    }
    if (slot.rqFailed) {
      slot.rqFailed = false;
      this.#drop(slot);
      return RECV.failed;
    }
    if (slot.rqFetching) {
      slot.rqWaiter = slot.rqWaiter === null ? asker : new Both(slot.rqWaiter, asker);
      return RECV.wait;
    }
    if (slot.rqBlock >= 0 && slot.rqFrom === head && slot.rqTo === head) {
      // Read just now and found empty.
      this.#drop(slot);
      return RECV.empty;
    }
    return this.#prefetch(slot, c, head, asker);
  }

  /** The current RECV has been completed: the ring advances by one stride. */
  consume(slot: QpSlot, c: number): void {
    const w = this.core.bytes.i32;
    w[c + QPC_DW.counters] = ((w[c + QPC_DW.counters] as number) + 0x1_0000) | 0;
    this.core.touch(slot);
    slot.recvSegment = -1;
    if (slot.shared !== null) {
      this.shared.consume(slot.shared);
      return;
    }
    const stride = rqStride(w, c);
    w[c + QPC_DW.rqHead] = this.nextHead(w[c + QPC_DW.rqHead] as number, stride, w[c + QPC_DW.rqLength] as number);
    const head = w[c + QPC_DW.rqHead] as number;
    if (head < slot.rqFrom || head >= slot.rqTo) this.#drop(slot);
  }

  /** Forgets the current RECV without consuming it: it will be used again from its start. */
  giveBack(slot: QpSlot): void {
    slot.recvSegment = -1;
  }

  /** The queue pair went to RESET. */
  close(slot: QpSlot): void {
    slot.closed = true;
    slot.recvSegment = -1;
    if (slot.shared !== null) this.shared.close(slot.shared);
    if (!slot.rqFetching) this.#drop(slot);
  }

  /** Offset of the RECV after `head`; overridable for planting. */
  protected nextHead(head: number, stride: number, ring: number): number {
    return (head + stride) % ring;
  }

  /** Sum of the scatter entries up to the terminating zero segment; overridable for planting. */
  protected room(wqe: number, stride: number): number {
    return scatterRoom(this.core.bytes.i32, wqe, stride);
  }

  arrived(f: Prefetch, ok: boolean): void {
    const slot = f.slot as QpSlot;
    slot.rqFetching = false;
    if (slot.closed) this.#drop(slot);
    else {
      slot.rqTo = ok ? this.goodUpTo(slot, f.stride, f.length) : slot.rqFrom;
      slot.rqFailed = !ok && this.fails();
    }
    f.slot = null;
    f.next = this.#free;
    this.#free = f;
    const waiter = slot.rqWaiter;
    slot.rqWaiter = null;
    waiter?.resume();
    // Who waited may have no use for it any more: that nothing was there says nothing of later.
    if (this.#isFoundEmpty(slot)) this.#drop(slot);
  }

  /** A prefetch has failed: whether that is more than an empty ring; overridable for planting. */
  protected fails(): boolean {
    return true;
  }

  #isFoundEmpty(slot: QpSlot): boolean {
    return slot.rqBlock >= 0 && !slot.rqFetching && !slot.rqFailed && slot.rqFrom === slot.rqTo;
  }

  /** Ring offset behind the last entry of the block that can be trusted. */
  protected goodUpTo(slot: QpSlot, stride: number, length: number): number {
    const w = this.core.bytes.i32;
    const block = this.#blocks.offset(slot.rqBlock);
    let at = 0;
    while (at + stride <= length) {
      const d = (block + at) >> 2;
      if (isEmptySegment(w, d)) break;
      at += stride;
      if (((w[d + 1] as number) & NEXT_SEG.sizeMask) === 0) break;
    }
    return slot.rqFrom + at;
  }

  #use(slot: QpSlot, c: number, head: number): void {
    const w = this.core.bytes.i32;
    const wqe = this.#blocks.offset(slot.rqBlock) + head - slot.rqFrom;
    slot.recvSegment = wqe + WQE_UNIT;
    slot.recvOffset = head;
    slot.recvSge = 0;
    slot.recvSgeDone = 0;
    slot.recvRoom = this.room(wqe, rqStride(w, c));
  }

  #prefetch(slot: QpSlot, c: number, head: number, asker: Resumable): number {
    const core = this.core;
    const w = core.bytes.i32;
    const x = core.xlate;
    const stride = rqStride(w, c);
    const ring = w[c + QPC_DW.rqLength] as number;
    const key = w[c + QPC_DW.rqKey] as number;
    const result = x.translate(key, qpPd(w, c), 0, head, stride, 0, true, asker);
    if (result === XLATE.wait) return RECV.wait;
    if (result === XLATE.failed) return RECV.failed;
    if (result !== XLATE.ok) return RECV.error;
    if (slot.rqBlock < 0) slot.rqBlock = this.#blocks.acquire();
    const f = this.#acquire();
    f.slot = slot;
    f.stride = stride;
    f.length = Math.min(RECV_PREFETCH, ring - head, x.available);
    slot.rqFrom = head;
    slot.rqTo = head;
    slot.rqFetching = true;
    slot.rqWaiter = asker;
    core.dma.read(x.paHi, x.paLo, f.length, this.#blocks.offset(slot.rqBlock), f);
    return RECV.wait;
  }

  #acquire(): Prefetch {
    const f = this.#free;
    if (f === null) return new Prefetch(this);
    this.#free = f.next;
    return f;
  }

  #drop(slot: QpSlot): void {
    if (slot.rqBlock >= 0) this.#blocks.release(slot.rqBlock);
    slot.rqBlock = -1;
    slot.rqFrom = 0;
    slot.rqTo = 0;
  }
}
