/** Software that looks into its event queues by itself: a message that is lost leaves no event untaken for long. */

import type { EventHandler, Scheduler, SimTime } from '../../uvm/kernel/scheduler.ts';
import type { Provider } from './provider.ts';

export class EventPoll implements EventHandler {
  readonly #scheduler: Scheduler;
  readonly #provider: Provider;
  readonly #interval: SimTime;

  /** @param interval how often it looks, ps */
  constructor(scheduler: Scheduler, provider: Provider, interval: SimTime) {
    this.#scheduler = scheduler;
    this.#provider = provider;
    this.#interval = interval;
    scheduler.schedule(interval, this);
  }

  fire(): void {
    this.#provider.pollEvents?.();
    this.#scheduler.schedule(this.#interval, this);
  }
}
