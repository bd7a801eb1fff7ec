/**
 * Takes completions by events: every queue is armed; an event says which queue to look at.
 *
 * Arming is not atomic with looking; the doorbell carries the consumer index, so that the NIC can tell whether a
 * completion was written meanwhile, and owes an event at once if so. A timer looks at all queues now and then, and takes
 * nothing from one that is armed: an event that has not come although nothing moves any more, or for very long, is
 * reported as lost (`SEQ_EVENT_LOST`). How long a NIC may think in silence
 * is not for the timer to know: it depends on clocks and buses, so the caller names it.
 */
import type { CompletionTaker, HostApi } from '../../env/verbs/hostApi.ts';
import type { Cq } from '../../env/verbs/verbsObjects.ts';
import { Event } from '../../uvm/kernel/event.ts';
import { type Proc, type ProcessManager, delay } from '../../uvm/kernel/process.ts';
import { MS, US } from '../../uvm/kernel/time.ts';
import type { Stillness } from './stillness.ts';

/** Period of the timer. */
const TICK = 10 * US;
/** An event may wait behind everything else that is to be moved, but not in silence; at least this long. */
const SILENCE = 2 * TICK;
/** After this time, and what the data takes, an event is lost even if there never is silence. */
const LONGEST = 100 * MS;
/** A NIC that never rests is given this many times the silence that it is allowed. */
const BUSY_FACTOR = 1000;
/** Ticks in silence without a completion after which the timer gives up, so that a deadlock is seen as one. */
const MOST_IDLE_TICKS = 20_000;

/** Whoever uses the loop. */
export interface EventLoopUser extends CompletionTaker {
  /** A completion was seen in a queue that is armed, and no event has come since; both times in ps. */
  lost(cq: Cq, armedAt: number, seenAt: number): void;
}

/** What an event may take. */
export interface EventPatience {
  /** Tells how long nothing has moved. */
  readonly stillness: Stillness;
  /** Silence that the NIC may need to make up its mind (ps). */
  readonly silence: number;
  /** Time that all data posted so far takes on its way (ps). */
  dataTime(): number;
}

export class EventLoop {
  readonly #api: HostApi;
  readonly #cqs: readonly Cq[];
  readonly #user: EventLoopUser;
  readonly #processes: ProcessManager;
  readonly #patience: EventPatience;
  readonly #silence: number;
  readonly #done = new Event('completions of the batch');
  /** By position in the list of queues: when it was armed; when the timer first saw it not empty, or -1. */
  readonly #armedAt: Float64Array;
  readonly #seenAt: Float64Array;
  readonly #position = new Map<Cq, number>();

  constructor(
    api: HostApi,
    cqs: readonly Cq[],
    processes: ProcessManager,
    user: EventLoopUser,
    patience: EventPatience,
  ) {
    this.#api = api;
    this.#patience = patience;
    this.#silence = Math.max(SILENCE, patience.silence);
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
      const still = this.#patience.stillness.look(this.#processes.scheduler.now);
      if (still < this.#silence) idle = 0;
      for (let i = 0; i < this.#cqs.length; i++) if (this.#overdue(i, still)) idle = 0;
    }
  }

  /** Looks at one queue for the timer; true when something was overdue there, and has been taken out or may still come. */
  #overdue(i: number, still: number): boolean {
    const cq = this.#cqs[i] as Cq;
    const { now } = this.#processes.scheduler;
    const seen = this.#seenAt[i] as number;
    // Emptied since it was seen, when it was armed: what is there now came later.
    if (cq.arrived === 0 || seen <= (this.#armedAt[i] as number)) {
      this.#seenAt[i] = cq.arrived === 0 ? -1 : now;
      return false;
    }
    if (cq.armed !== 0) {
      if (still < this.#silence && now - seen < this.#longest()) return true;
      this.#user.lost(cq, this.#armedAt[i] as number, seen);
    }
    this.#seenAt[i] = -1;
    this.#take(cq);
    return true;
  }

  #longest(): number {
    return Math.max(LONGEST, BUSY_FACTOR * this.#silence) + this.#patience.dataTime();
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
