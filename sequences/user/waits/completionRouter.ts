import { WorkCompletion } from '../../../agents/verbs/verbsItems.ts';
import type { HostApi } from '../../../env/verbs/hostApi.ts';
import type { Qp } from '../../../env/verbs/verbsObjects.ts';
import { type Proc, delay } from '../../../uvm/kernel/process.ts';
import type { SimTime } from '../../../uvm/kernel/scheduler.ts';
import { untilFatal } from '../../host/faults/untilFatal.ts';
import { Completion } from '../completion.ts';

/** Who is given the completions of a queue pair. */
export interface CompletionUser {
  readonly qp: Qp;
  arrived(completion: Completion): void;
}

/**
 * Takes all completions of a host and hands each to its side of a connection, so that sequences wait for their own
 * whatever completion queues are shared. One per host, running beside the sequence.
 */
export class CompletionRouter {
  readonly #api: HostApi;
  readonly #pause: () => SimTime;
  readonly #sides: CompletionUser[] = [];
  /** Sides by the number of their queue pair, as of when it was looked up last. */
  readonly #byQpn = new Map<number, CompletionUser>();

  /** @param pause time for which what has come to a queue is left there, asked for each time */
  constructor(api: HostApi, pause: () => SimTime) {
    this.#api = api;
    this.#pause = pause;
  }

  /** Makes a side known. */
  add(side: CompletionUser): void {
    this.#sides.push(side);
  }

  /** The process of the router; ends with the run, or with the device: then `lost` is told. */
  *route(lost: (error: Error) => void): Proc<void> {
    const error = yield* untilFatal(this.#route());
    if (error !== undefined) lost(error);
  }

  *#route(): Proc<void> {
    const wc = new WorkCompletion();
    for (;;) {
      const cq = yield* this.#api.waitAnyCq();
      const pause = this.#pause();
      if (pause > 0) yield* delay(pause);
      // A sequence may have destroyed a queue of its own meanwhile.
      while (cq.alive && this.#api.pollCq(cq, wc)) {
        const side = this.#sideOf(wc.qpn);
        side?.arrived(new Completion(wc, side.qp));
      }
    }
  }

  /** A queue pair may have been destroyed, and another one made in its place. */
  #sideOf(qpn: number): CompletionUser | undefined {
    const known = this.#byQpn.get(qpn);
    if (known?.qp.qpn === qpn) return known;
    this.#byQpn.clear();
    for (const side of this.#sides) this.#byQpn.set(side.qp.qpn, side);
    return this.#byQpn.get(qpn);
  }
}
