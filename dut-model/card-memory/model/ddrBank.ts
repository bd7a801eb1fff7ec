/**
 * Controller of one bank: bursts wait in a queue, and are served one after the other, each for the time that its bytes take
 * (a server with a busy-until time). Of those that wait the arbiter takes the next one of the direction that is being served,
 * for a batch at most, and goes round the masters; a change of direction costs the turnaround. A burst never passes an
 * earlier one to the same bytes unless both are reads.
 */
import type { EventHandler, Scheduler } from '../../../uvm/kernel/scheduler.ts';

/** Who asks: payload that is read to be sent, payload that has been received, software through the aperture. */
export const MASTER = { send: 0, receive: 1, aperture: 2 } as const;
export type Master = (typeof MASTER)[keyof typeof MASTER];
const MASTERS = 3;

/** A burst, of at most 512 bytes, within one bank. */
export interface Burst {
  readonly master: Master;
  readonly isWrite: boolean;
  readonly offset: number;
  readonly length: number;
  /** It is not served before, ps: what it waits for in front of the bank. */
  readonly readyAt: number;
  /** Its bytes are read now, or are seen by everybody from now on: does that, and says so. */
  done(): void;
  /** Says so only. */
  end(): void;
}

/** How a bank is paced, times in ps. */
export interface BankTiming {
  readonly bytePs: number;
  readonly latency: number;
  readonly turnaround: number;
  readonly batch: number;
}

const NONE = -1;
const NEVER = -1;
const FOREVER = Number.MAX_SAFE_INTEGER;
/** Arguments of events. */
const SERVE = 0;
const DONE = 1;
/** Bursts that the arbiter chooses from. */
const QUEUE = 32;

export class DdrBank implements EventHandler {
  readonly fullName: string;
  readonly #scheduler: Scheduler;
  readonly #timing: BankTiming;
  readonly #waiting: Burst[] = [];
  /** Served, on their way to being done, in this order. */
  readonly #served: Burst[] = [];
  #busyUntil = 0;
  #writes = false;
  #batched = 0;
  #last: number = MASTER.aperture;
  #life = 0;
  /** When the queue is looked at. */
  #plannedAt = NEVER;

  constructor(name: string, scheduler: Scheduler, timing: BankTiming) {
    this.fullName = name;
    this.#scheduler = scheduler;
    this.#timing = timing;
  }

  /** Bursts asked for and not done. */
  get pending(): number {
    return this.#waiting.length + this.#served.length;
  }

  ask(burst: Burst): void {
    this.#waiting.push(burst);
    this.#plan();
  }

  /** Forgets all of them. */
  reset(): void {
    this.#life++;
    this.#waiting.length = 0;
    this.#served.length = 0;
    this.#plannedAt = NEVER;
    this.#batched = 0;
  }

  /** @param argument of which life, and what is due: see `SERVE` and `DONE` */
  fire(argument: number): void {
    if (argument >> 1 !== this.#life) return;
    if ((argument & 1) === SERVE) {
      if (this.#plannedAt !== this.#scheduler.now) return;
      this.#plannedAt = NEVER;
      this.#serve();
    } else (this.#served.shift() as Burst).done();
  }

  /** The queue is looked at when the bank is free, or at `from` if that is later. */
  #plan(from = 0): void {
    if (this.#waiting.length === 0) return;
    const at = Math.max(from, this.#busyUntil, this.#scheduler.now);
    if (this.#plannedAt !== NEVER && this.#plannedAt <= at) return;
    this.#plannedAt = at;
    this.#scheduler.scheduleAt(at, this, (this.#life << 1) | SERVE);
  }

  #serve(): void {
    const chosen = this.#choose();
    if (chosen === NONE) {
      this.#plan(this.#firstReady());
      return;
    }
    const [burst] = this.#waiting.splice(chosen, 1) as [Burst];
    const { bytePs, latency, turnaround, batch } = this.#timing;
    const { now } = this.#scheduler;
    const turns = burst.isWrite !== this.#writes;
    this.#batched = turns || this.#batched >= batch ? 1 : this.#batched + 1;
    this.#writes = burst.isWrite;
    this.#last = burst.master;
    this.#busyUntil = now + Math.ceil(burst.length * bytePs) + (turns ? turnaround : 0);
    this.#served.push(burst);
    this.#scheduler.schedule(this.#busyUntil - now + latency, this, (this.#life << 1) | DONE);
    this.#plan();
  }

  /** When the first burst is ready that is not yet: others wait for one of those. */
  #firstReady(): number {
    const { now } = this.#scheduler;
    return this.#waiting.reduce((first, { readyAt }) => (readyAt > now ? Math.min(first, readyAt) : first), FOREVER);
  }

  /** Index of the burst that is served next, `NONE` while none is ready. */
  #choose(): number {
    const waiting = this.#waiting;
    const { now } = this.#scheduler;
    const end = Math.min(QUEUE, waiting.length);
    const keeps = this.#batched < this.#timing.batch;
    let best = NONE;
    let bestRank = Number.POSITIVE_INFINITY;
    for (let i = 0; i < end; i++) {
      const burst = waiting[i] as Burst;
      if (burst.readyAt > now) continue;
      const goesOn = (burst.isWrite === this.#writes) === keeps;
      const turn = (burst.master - this.#last - 1 + MASTERS) % MASTERS;
      const rank = (goesOn ? 0 : MASTERS) + turn;
      if (rank >= bestRank || this.#mustWait(i)) continue;
      best = i;
      bestRank = rank;
    }
    return best;
  }

  /** Whether an earlier burst touches the same bytes, and one of the two writes. */
  #mustWait(index: number): boolean {
    const burst = this.#waiting[index] as Burst;
    for (let i = 0; i < index; i++) {
      const other = this.#waiting[i] as Burst;
      if (!burst.isWrite && !other.isWrite) continue;
      if (burst.offset < other.offset + other.length && other.offset < burst.offset + burst.length) return true;
    }
    return false;
  }
}
