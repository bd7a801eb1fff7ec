/**
 * Receive side of a queue pair that has gone to the error state: every posted RECV completes as flushed, in order
 * (roce-transport.md 5.3).
 */
import { CQE_SYNDROME, EVENT_TYPE } from '../../layout/queues.ts';
import { QPC_STATE } from '../../layout/contexts.ts';
import type { EventHandler } from '../../../../uvm/kernel/scheduler.ts';
import type { Resumable } from '../../../roce/rxPacket.ts';
import type { CompletionUnit } from '../queues/completionUnit.ts';
import type { ContextUser, HanguCore } from '../core.ts';
import { WAIT } from '../core.ts';
import { QPC_DW, qpState, takesShared } from '../qpContext.ts';
import type { QpSlot } from './qpSlot.ts';
import type { EventUnit } from '../queues/eventUnit.ts';
import { RECV } from '../queues/receives.ts';
import type { ReceiveQueue } from '../queues/receiveQueue.ts';
import type { ErrorSink } from './sendCompletion.ts';

/** The answers of a queue pair, as far as its end reaches them. */
export interface ResponseSink {
  drop(slot: QpSlot): void;
}

/** RECVs that are completed at once, and clock cycles that they take: a walk without end, too, lets time pass. */
const BURST = 16;
const BURST_CYCLES = 64;
/** Reads of one ring that may fail before what is left there is given up. */
const MOST_FAILURES = 16;

/** Walks the receive queue of one queue pair; lives only while that goes on. */
class FlushWalk implements Resumable, EventHandler, ContextUser {
  pinned = false;
  /** Reads of the ring that have failed so far. */
  failures = 0;
  readonly #flush: ReceiveFlush;
  readonly #slot: QpSlot;

  constructor(flush: ReceiveFlush, slot: QpSlot) {
    this.#flush = flush;
    this.#slot = slot;
  }

  resume(): void {
    this.#flush.goOn(this.#slot, this);
  }

  /** The next burst. The queue pair may be gone. */
  fire(): void {
    if (!this.#slot.closed) this.resume();
  }
}

/** The send side of a queue pair, as far as errors of the receive side reach it. */
export interface SendSink {
  flush(slot: QpSlot): void;
  fetchRest(): void;
}

export class ReceiveFlush implements ErrorSink {
  protected readonly core: HanguCore;
  readonly #receiveQueue: ReceiveQueue;
  readonly #completions: CompletionUnit;
  /** Set once after construction. */
  sendSide!: SendSink;
  events!: EventUnit;
  responses!: ResponseSink;

  constructor(core: HanguCore, receiveQueue: ReceiveQueue, completions: CompletionUnit) {
    this.core = core;
    this.#receiveQueue = receiveQueue;
    this.#completions = completions;
  }

  /** The send side failed, or software asked for it (2ERR): nothing is answered any more. */
  enterError(slot: QpSlot): void {
    this.responses.drop(slot);
    this.#flush(slot);
  }

  /** The responder failed: the send side is flushed as well. Its NAK still leaves, behind the answers before it. */
  enterErrorFromReceiver(slot: QpSlot): void {
    this.sendSide.flush(slot);
    this.#flush(slot);
  }

  /**
   * Of a queue pair that is about to be reset, what it has taken from a shared queue comes back to software, as flushed: the queue
   * has it no more. Nothing more is taken. @returns false when that has to be waited for
   */
  letGoOfShared(slot: QpSlot, c: number, asker: Resumable): boolean {
    if (slot.shared === null) return true;
    slot.refusing = true;
    const held = this.#receiveQueue.shared.held(slot, asker);
    if (held === RECV.wait) return false;
    if (held === RECV.taken) this.returnHeld(slot, c);
    return true;
  }

  /** RESET: posted RECVs are forgotten, and what was to be answered. */
  forget(slot: QpSlot): void {
    this.responses.drop(slot);
    this.#receiveQueue.close(slot);
  }

  /** What a walk has waited for is there. */
  goOn(slot: QpSlot, walk: FlushWalk): void {
    this.#walk(slot, walk);
    this.core.qpc.wake();
  }

  /** Completes RECVs until the queue is empty or something has to be waited for. */
  #walk(slot: QpSlot, walk: FlushWalk): void {
    if (this.#isOver(slot, walk)) {
      slot.rqFlushing = false;
      slot.rqFlushAgain = false;
    }
  }

  #flush(slot: QpSlot): void {
    if (slot.rqFlushing) {
      slot.rqFlushAgain = true;
      return;
    }
    slot.rqFlushing = true;
    // What is being read already may have been read before the last RECVs were posted.
    slot.rqFlushAgain = slot.rqFetching;
    this.#walk(slot, new FlushWalk(this, slot));
  }

  /** One burst. False when it goes on later. */
  #isOver(slot: QpSlot, walk: FlushWalk): boolean {
    for (let left = BURST; left > 0; left--) {
      const c = this.core.contextOf(slot, walk);
      if (c === WAIT) return false;
      this.core.letContextGo(walk, slot.qpn);
      if (c < 0 || qpState(this.core.bytes.i32, c) !== QPC_STATE.err) return true;
      if (takesShared(this.core.bytes.i32, c)) return this.#hasLeftShared(slot, c, walk);
      const taken = this.#receiveQueue.take(slot, c, walk);
      if (taken === RECV.wait) {
        // Many walks at once would evict each other's contexts while they wait, and none would ever go on.
        this.core.keepContext(walk, slot.qpn);
        return false;
      }
      if (taken === RECV.empty && slot.rqFlushAgain) {
        slot.rqFlushAgain = false;
        continue;
      }
      // What is flushed is read again: nothing else is left to be told of it.
      if (taken === RECV.failed && ++walk.failures <= MOST_FAILURES) continue;
      if (taken !== RECV.taken) return true;
      this.#complete(slot, c);
      this.#receiveQueue.consume(slot, c);
    }
    this.core.scheduler.schedule(this.core.cycles(BURST_CYCLES), walk);
    return false;
  }

  /** Of a shared queue only what has been taken is flushed; behind that software is told that nothing more comes. False: later. */
  #hasLeftShared(slot: QpSlot, c: number, walk: FlushWalk): boolean {
    if (slot.closed) return true;
    const { shared } = this.#receiveQueue;
    const held = shared.held(slot, walk);
    if (held === RECV.wait) {
      this.core.keepContext(walk, slot.qpn);
      return false;
    }
    if (held === RECV.taken) this.returnHeld(slot, c);
    const t = shared.takeOf(slot, c);
    if (t.toldLast) return true;
    if (!this.#completions.hasWritten(slot.qpn, walk)) return false;
    t.toldLast = true;
    this.tellLast(slot);
    return true;
  }

  /** What a queue pair has taken from a shared queue completes as flushed; overridable for planting. */
  protected returnHeld(slot: QpSlot, c: number): void {
    this.#complete(slot, c);
    this.#receiveQueue.consume(slot, c);
  }

  /** For planting: what it has taken is lost. */
  protected forgetHeld(slot: QpSlot, c: number): void {
    this.#receiveQueue.consume(slot, c);
  }

  /** The last receive that a queue pair had taken from a shared queue has completed; overridable for planting. */
  protected tellLast(slot: QpSlot): void {
    this.events.async(EVENT_TYPE.lastWqe, slot.qpn);
  }

  #complete(slot: QpSlot, c: number): void {
    const w = this.core.bytes.i32;
    const e = this.#completions.acquire();
    e.cqn = w[c + QPC_DW.cqnRcv] as number;
    e.qpn = slot.qpn;
    e.remoteQpn = (w[c + QPC_DW.remoteQpn] as number) & 0xffffff;
    e.isSend = false;
    e.opcode = 0;
    e.byteCount = 0;
    e.wqe = slot.recvOffset;
    e.syndrome = CQE_SYNDROME.flush;
    this.#completions.post(e);
  }
}
