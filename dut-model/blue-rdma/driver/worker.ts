/**
 * A worker of the driver: somebody gives it something to do, and after its reaction time it does all that there is. The
 * times are drawn, so that workers overtake each other in every order that threads could.
 */
import type { FastStream } from '../../../uvm/random/randomStream.ts';
import type { EventHandler, Scheduler } from '../../../uvm/kernel/scheduler.ts';

/** Reaction times of workers, ps: at least, and as much more as is drawn. */
export interface ReactionTimes {
  readonly reaction: number;
  readonly jitter: number;
}

export class Worker implements EventHandler {
  readonly fullName: string;
  readonly #scheduler: Scheduler;
  readonly #times: ReactionTimes;
  readonly #draws: FastStream;
  readonly #work: () => void;
  #awake = false;
  #life = 0;

  constructor(name: string, scheduler: Scheduler, times: ReactionTimes, draws: FastStream, work: () => void) {
    this.fullName = name;
    this.#scheduler = scheduler;
    this.#times = times;
    this.#draws = draws;
    this.#work = work;
  }

  get isAwake(): boolean {
    return this.#awake;
  }

  /** There is something to do. */
  wake(): void {
    if (this.#awake) return;
    this.#awake = true;
    const { reaction, jitter } = this.#times;
    this.#scheduler.schedule(reaction + (jitter > 0 ? this.#draws.below(jitter + 1) : 0), this, this.#life);
  }

  /** Forgets that it was woken. */
  stop(): void {
    this.#awake = false;
    this.#life++;
  }

  fire(life: number): void {
    if (life !== this.#life) return;
    this.#awake = false;
    this.#work();
  }
}
