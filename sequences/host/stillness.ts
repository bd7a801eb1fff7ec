/** Tells how long nothing has moved anywhere, as seen by looking now and then. */
import type { PlayEnv } from './playEnv.ts';

export class Stillness {
  readonly #env: Pick<PlayEnv, 'activity' | 'inFlight'>;
  #activity = -1;
  #movedAt = 0;

  constructor(env: Pick<PlayEnv, 'activity' | 'inFlight'>) {
    this.#env = env;
  }

  /** Time since a look at which something was under way or had moved since the look before (ps); 0 if this is one. */
  look(now: number): number {
    const activity = this.#env.activity();
    if (activity !== this.#activity || this.#env.inFlight() > 0) this.#movedAt = now;
    this.#activity = activity;
    return now - this.#movedAt;
  }
}
