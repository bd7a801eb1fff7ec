/**
 * How send requests end: completion in posting order, errors, flushing, time-outs (roce-transport.md 3.8, 5.1, 5.3).
 * There is at most one error other than "flushed" per send queue.
 */
import { changesKey, CQE_SYNDROME, EVENT_TYPE, UD_SEG } from '../../layout/queues.ts';
import { RNR_RETRY_FOR_EVER } from '../../../../rdma/timers.ts';
import { QPC_STATE } from '../../layout/contexts.ts';
import type { CompletionUnit } from '../queues/completionUnit.ts';
import { psnAdd, psnCmp } from '../../../roce/psn.ts';
import type { HanguCore } from '../core.ts';
import type { EventUnit } from '../queues/eventUnit.ts';
import { isRc, QPC_DW, qpState, retryLimit, rnrRetryLimit, setQpState } from '../qpContext.ts';
import type { QpSlot, SendRequest } from './qpSlot.ts';
import type { SendQueue } from '../queues/sendQueue.ts';

/** The transmit side, as far as the end of requests moves it. */
export interface Transmitter {
  schedule(slot: QpSlot): void;
  pump(): void;
  goBack(slot: QpSlot, psn: number): void;
  restartTimer(slot: QpSlot): void;
}

/** The receive side of a queue pair, as far as errors of the send side reach it. */
export interface ErrorSink {
  enterError(slot: QpSlot): void;
}

export class SendCompletion {
  protected readonly core: HanguCore;
  readonly #unit: CompletionUnit;
  readonly #events: EventUnit;
  /** Set once after construction. */
  requester!: Transmitter;
  sendQueue!: SendQueue;
  receiveSide!: ErrorSink;

  constructor(core: HanguCore, unit: CompletionUnit, events: EventUnit) {
    this.core = core;
    this.#unit = unit;
    this.#events = events;
  }

  /** Completes the oldest request with a syndrome (0 = success) and takes it off the list. */
  completeHead(slot: QpSlot, syndrome: number): void {
    const r = slot.head as SendRequest;
    slot.head = r.next;
    if (slot.head === null) slot.tail = null;
    if (slot.cursor === r) {
      slot.cursor = r.next;
      slot.cursorPacket = 0;
    }
    if (this.completes(r, syndrome)) this.report(slot, r, syndrome);
    this.sendQueue.release(r);
    if (syndrome === 0) this.keyChanged(slot);
    if (slot.drainNotify) this.drained(slot);
  }

  /** What has changed a key, and stands at the head by now, is done (roce-transport.md 3.12). */
  keyChanged(slot: QpSlot): void {
    const r = slot.head;
    if (r !== null && r.firstPsn >= 0 && changesKey(r.opcode)) this.completeHead(slot, 0);
  }

  /** Whether a request that has ended is completed (roce-transport.md 5.2); overridable for planting. */
  protected completes(r: SendRequest, syndrome: number): boolean {
    return r.signalled === true || syndrome !== 0;
  }

  /** SQD: whether a request that was started is outstanding; those behind it wait (roce-transport.md 6.4). */
  isDraining(slot: QpSlot): boolean {
    return slot.head !== null && slot.head.firstPsn >= 0;
  }

  /** SQD: tells software once nothing that was started is outstanding any more. */
  drained(slot: QpSlot): void {
    if (this.isDraining(slot)) return;
    slot.drainNotify = false;
    this.#events.async(EVENT_TYPE.sqDrained, slot.qpn);
  }

  /** Writes the completion of a request; overridable for planting. */
  protected report(slot: QpSlot, r: SendRequest, syndrome: number): void {
    const e = this.#unit.acquire();
    e.cqn = r.cqn;
    e.qpn = slot.qpn;
    e.remoteQpn = r.udSegment > 0 ? this.#datagramQpn(r) : r.remoteQpn;
    e.isSend = true;
    e.opcode = r.opcode;
    e.byteCount = r.length;
    e.wqe = r.wqeOffset;
    e.syndrome = syndrome;
    this.#unit.post(e);
  }

  /** UC and UD: done when the last packet has left. */
  unacknowledged(slot: QpSlot, r: SendRequest): void {
    if (slot.head === r) this.completeHead(slot, 0);
  }

  /** A request that cannot be executed: reported once everything before it is complete. */
  localError(slot: QpSlot, c: number, r: SendRequest): void {
    if (slot.head !== r) return;
    const w = this.core.bytes.i32;
    if (isRc(w, c)) {
      this.fail(slot, c, r.syndrome);
      return;
    }
    setQpState(w, c, QPC_STATE.sqe);
    if (r.firstPsn >= 0) w[c + QPC_DW.nextPsn] = this.nextPsn(r);
    this.core.touch(slot);
    this.completeHead(slot, r.syndrome);
    this.flush(slot);
  }

  /** Number of the next packet after a request whose last packets never left; overridable for planting. */
  protected nextPsn(r: SendRequest): number {
    return psnAdd(r.lastPsn, 1);
  }

  /** The oldest request fails, the queue pair goes to the error state, everything else is flushed. */
  fail(slot: QpSlot, c: number, syndrome: number): void {
    setQpState(this.core.bytes.i32, c, QPC_STATE.err);
    this.core.touch(slot);
    if (slot.head !== null) this.completeHead(slot, syndrome);
    this.flush(slot);
    this.receiveSide.enterError(slot);
  }

  /** Completes everything fetched as flushed; what is still in the ring follows as it is fetched. */
  flush(slot: QpSlot): void {
    slot.epoch++;
    this.#stopTimer(slot);
    slot.reads = 0;
    while (slot.head !== null) this.completeHead(slot, CQE_SYNDROME.flush);
    slot.cursor = null;
    if (this.sendQueue.hasMore(slot)) this.requester.schedule(slot);
  }

  /**
   * Sets to work on what a flush has left in the ring, where nothing else does: a queue pair that was drained is not
   * in line. Comes last, since context lines may be evicted.
   */
  fetchRest(): void {
    this.requester.pump();
  }

  /** RESET: requests are dropped without completion. Fetches and packets in flight find themselves overtaken. */
  forget(slot: QpSlot): void {
    slot.epoch++;
    this.#stopTimer(slot);
    this.sendQueue.drop(slot);
    while (slot.head !== null) {
      const r = slot.head;
      slot.head = r.next;
      this.sendQueue.release(r);
    }
    slot.tail = null;
    slot.cursor = null;
  }

  /** A WQE fetched while the queue pair is in an error state. */
  flushFetched(r: SendRequest): void {
    const slot = r.slot;
    this.report(slot, r, CQE_SYNDROME.flush);
    this.sendQueue.release(r);
    if (this.sendQueue.hasMore(slot)) this.requester.schedule(slot);
  }

  /** The timer ran out with work outstanding. */
  timeout(slot: QpSlot, c: number): void {
    slot.timeoutDue = false;
    const w = this.core.bytes.i32;
    const state = qpState(w, c);
    if (slot.head === null || (state !== QPC_STATE.rts && state !== QPC_STATE.sqd)) return;
    this.core.counters.timeouts++;
    this.retry(slot, c, w[c + QPC_DW.unaPsn] as number);
  }

  /** One more attempt from `psn`, or RETRY_EXC_ERR when none is left. */
  retry(slot: QpSlot, c: number, psn: number): void {
    if (slot.retries >= retryLimit(this.core.bytes.i32, c)) {
      this.fail(slot, c, CQE_SYNDROME.retryExceeded);
      return;
    }
    slot.retries++;
    slot.retrying = true;
    slot.retryPsn = psn;
    // The timer starts again with the first packet that is sent again.
    this.#stopTimer(slot);
    this.requester.goBack(slot, psn);
  }

  /** Receiver not ready: wait at least `delayPs`, then send again from `psn`. */
  receiverNotReady(slot: QpSlot, c: number, psn: number, delayPs: number): void {
    const limit = rnrRetryLimit(this.core.bytes.i32, c);
    if (limit !== RNR_RETRY_FOR_EVER && slot.rnrRetries >= limit) {
      this.fail(slot, c, CQE_SYNDROME.rnrRetryExceeded);
      return;
    }
    slot.rnrRetries++;
    slot.rnrWait = true;
    this.#stopTimer(slot);
    this.requester.goBack(slot, psn);
    this.core.scheduler.schedule(delayPs, slot, 1);
  }

  /** Everything before `una` is acknowledged: reloads the counters and, if more is on its way, the timer (roce-transport.md 3.8). */
  progress(slot: QpSlot, una: number): void {
    slot.retries = 0;
    slot.rnrRetries = 0;
    slot.retrying = false;
    this.#stopTimer(slot);
    if (psnCmp(una, slot.sentPsn) < 0) this.requester.restartTimer(slot);
  }

  /** Also a time-out counts no longer that ran out while the queue pair waited for its turn. */
  #stopTimer(slot: QpSlot): void {
    slot.deadline = 0;
    slot.timeoutDue = false;
  }

  #datagramQpn(r: SendRequest): number {
    return (this.core.bytes.i32[r.udSegment + (UD_SEG.qpn >> 2)] as number) & 0xffffff;
  }
}
