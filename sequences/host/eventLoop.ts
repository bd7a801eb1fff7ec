/**
 * Takes completions by events: every queue is armed; an event says which queue to look at.
 *
 * Arming is not atomic with looking; the doorbell carries the consumer index, so that the NIC can tell whether a
 * completion was written meanwhile. A timer looks at all queues now and then: an event that has not come although the
 * NIC has nothing else to do, or for very long, is reported as lost (`SEQ_EVENT_LOST`).
 */
import type { CompletionTaker, HostApi } from '../../env/hostApi.ts';
import type { Cq } from '../../env/verbsObjects.ts';
import { Event } from '../../uvm/kernel/event.ts';
import { type Proc, type ProcessManager, delay } from '../../uvm/kernel/process.ts';
import { MS, US } from '../../uvm/kernel/time.ts';

/** Period of the timer. Arming takes much less. */
const TICK = 10 * US;
/** An event may wait behind everything else that the NIC has to move, but not in silence. */
const SILENCE = 2 * TICK;
/** After this time an event is lost even if the NIC is never silent. */
const LONGEST = 100 * MS;
/** Ticks without a completion after which the timer gives up, so that a deadlock is seen as one. */
const MOST_IDLE_TICKS = 20_000;

/** Whoever uses the loop. */
export interface EventLoopUser extends CompletionTaker {
  lost(cq: Cq): void;
}

export class EventLoop {
  readonly #api: HostApi;
  readonly #cqs: readonly Cq[];
  readonly #user: EventLoopUser;
  readonly #processes: ProcessManager;
  readonly #done = new Event('completions of the batch');
  /** By position in the list of queues: when it was armed; when the timer first saw it not empty, or -1. */
  readonly #armedAt: Float64Array;
  readonly #seenAt: Float64Array;
  readonly #position = new Map<Cq, number>();

  constructor(api: HostApi, cqs: readonly Cq[], processes: ProcessManager, user: EventLoopUser) {
    this.#api = api;
    this.#cqs = cqs;
    this.#user = user;
    this.#processes = processes;
    this.#armedAt = new Float64Array(cqs.length);
    this.#seenAt = new Float64Array(cqs.length).fill(-1);
    for (const [i, cq] of cqs.entries()) this.#position.set(cq, i);
  }

  /** Arms all queues, for the first time. */
  *armAll(): Proc<void> {
    for (let i = 0; i < this.#cqs.length; i++) yield* this.#arm(i);
  }

  /** Returns when the user has all that it waits for. */
  *run(): Proc<void> {
    if (this.#user.finished()) return;
    this.#done.reset();
    const listener = this.#processes.spawn('events', this.#listen());
    const timer = this.#processes.spawn('event timer', this.#tick());
    yield* this.#done.waitOn();
    listener.kill();
    timer.kill();
  }

  *#listen(): Proc<void> {
    for (;;) {
      const cq = yield* this.#api.waitEvent();
      this.#take(cq);
      yield* this.#arm(this.#position.get(cq) as number);
      this.#take(cq);
    }
  }

  *#tick(): Proc<void> {
    for (let idle = 0; idle < MOST_IDLE_TICKS; idle++) {
      yield* delay(TICK);
      for (let i = 0; i < this.#cqs.length; i++) if (this.#overdue(i)) idle = 0;
    }
  }

  /** Looks at one queue for the timer; true when something was overdue there, and has been taken out or may still come. */
  #overdue(i: number): boolean {
    const cq = this.#cqs[i] as Cq;
    const { now } = this.#processes.scheduler;
    const seen = this.#seenAt[i] as number;
    if (cq.arrived === 0 || seen < 0) {
      this.#seenAt[i] = cq.arrived === 0 ? -1 : now;
      return false;
    }
    // Seen one tick ago, it came two ticks ago at the earliest: a queue armed three ticks ago owes an event.
    if (cq.armed !== 0 && (this.#armedAt[i] as number) < seen - 2 * TICK) {
      if (now - this.#api.lastTraffic() < SILENCE && now - seen < LONGEST) return true;
      this.#user.lost(cq);
    }
    this.#seenAt[i] = -1;
    this.#take(cq);
    return true;
  }

  *#arm(i: number): Proc<void> {
    this.#armedAt[i] = this.#processes.scheduler.now;
    yield* this.#api.armCq(this.#cqs[i] as Cq, false);
  }

  #take(cq: Cq): void {
    this.#user.drain(cq);
    if (this.#user.finished()) this.#done.trigger();
  }
}
