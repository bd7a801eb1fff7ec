/**
 * Timeout worker: one timer for each send queue (blue-rdma.md section 11.5). It runs while an answer is outstanding, and begins
 * anew when the peer has acknowledged more. Its period counts from when the NIC has fetched what it is about: a ring may hold
 * more than goes out in a period. While that is not fetched, the worker looks again after a part of a period.
 */
import { ACK_TIMER_PS } from '../../../../rdma/timers.ts';
import type { EventHandler, Scheduler } from '../../../../uvm/kernel/scheduler.ts';
import type { BlueQp } from '../blueObjects.ts';
import type { SendRequest } from '../tracking/sendRequest.ts';
import type { Worker } from '../worker.ts';
import type { ChunkSender } from './chunkSender.ts';

/** The part of a period after which the worker looks again whether a request has been fetched. */
const LOOKS = 4;

/** What happens when a timer runs out. */
export interface TimeoutUser {
  timedOut(qp: BlueQp): void;
}

export class Timeouts implements EventHandler {
  /** Set once after construction. */
  worker!: Worker;
  /** Time-outs that were real. */
  expired = 0;
  protected readonly scheduler: Scheduler;
  readonly #chunks: ChunkSender;
  readonly #qps: readonly (BlueQp | null)[];
  readonly #user: TimeoutUser;
  #due: BlueQp[] = [];

  /** @param qps by index */
  constructor(scheduler: Scheduler, chunks: ChunkSender, qps: readonly (BlueQp | null)[], user: TimeoutUser) {
    this.scheduler = scheduler;
    this.#chunks = chunks;
    this.#qps = qps;
    this.#user = user;
  }

  /** Runs if it does not yet. */
  start(qp: BlueQp): void {
    if (qp.due === 0) this.restart(qp);
  }

  /** The peer has acknowledged more: begins anew, or stops when nothing is outstanding. */
  restart(qp: BlueQp): void {
    const request = this.due(qp);
    if (qp.timeout === 0 || request === undefined) qp.due = 0;
    else this.#begin(qp, this.#chunks.isSoonFetched(qp, request));
  }

  fire(index: number): void {
    const qp = this.#qps[index] ?? null;
    if (qp === null) return;
    qp.timed = false;
    if (qp.due === 0 || !qp.running) return;
    if (qp.due > this.scheduler.now) this.#schedule(qp);
    else {
      this.#due.push(qp);
      this.worker.wake();
    }
  }

  work(): void {
    const due = this.#due;
    this.#due = [];
    for (const qp of due) if (qp.running) this.#check(qp, qp.life);
  }

  /** Overridable for planting. */
  protected period(qp: BlueQp): number {
    return ACK_TIMER_PS[qp.timeout] as number;
  }

  /**
   * The request that an answer is due for: the oldest that the peer has not acknowledged. Where all are, it is the oldest READ,
   * whose data are to come.
   */
  due(qp: BlueQp): SendRequest | undefined {
    return qp.list.unacknowledged(qp.sent.base) ?? qp.list.oldest ?? waitingInVain(qp);
  }

  #check(qp: BlueQp, life: number): void {
    this.#chunks.askFetched(qp, (fetched) => {
      const request = this.due(qp);
      if (qp.life !== life || !qp.running || qp.due === 0 || qp.due > this.scheduler.now) return;
      if (request === undefined) this.restart(qp);
      else if (request.unwritten > 0 || request.position > fetched) this.#begin(qp, false);
      else if (!qp.counts) this.#begin(qp, true);
      else {
        this.expired++;
        this.#user.timedOut(qp);
      }
    });
  }

  /** @param counts the period does; otherwise a look at what was fetched is due */
  #begin(qp: BlueQp, counts: boolean): void {
    const period = this.period(qp);
    qp.counts = counts;
    qp.due = this.scheduler.now + (counts ? period : Math.ceil(period / LOOKS));
    this.#schedule(qp);
  }

  #schedule(qp: BlueQp): void {
    if (qp.timed) return;
    qp.timed = true;
    this.scheduler.scheduleAt(qp.due, this, qp.index);
  }
}

/** A request that waits for a receive of a peer that does not receive. */
function waitingInVain(qp: BlueQp): SendRequest | undefined {
  const next = qp.waiting[0];
  return next?.needsReceive === true && qp.offered === undefined ? next : undefined;
}
