/**
 * Back-pressure of the link port (valid/ready of the hardware's link, hangu-rtl-facts.md 8): while as much as the
 * transmit FIFO holds waits to leave, no further packet with payload is begun.
 */
import type { EventHandler } from '../../uvm/kernel/scheduler.ts';
import type { HanguCore } from './core.ts';

/** Who begins packets, and is called when there is room again. */
export interface EgressUser {
  pump(): void;
}

export class Egress implements EventHandler {
  readonly #core: HanguCore;
  readonly #fifoPs: number;
  /** Set once after construction, in the order in which they are called when there is room. */
  users: readonly EgressUser[] = [];
  #waiting = false;

  constructor(core: HanguCore) {
    this.#core = core;
    this.#fifoPs = core.config.egressNs * 1000;
  }

  /** True when there is no room; then the users are called as soon as half of the FIFO is empty. */
  isFull(): boolean {
    if (this.#waiting) return true;
    const { link, scheduler } = this.#core;
    const backlog = link.freeAt - scheduler.now;
    if (backlog <= this.#fifoPs) return false;
    this.#waiting = true;
    scheduler.schedule(backlog - Math.floor(this.#fifoPs / 2), this);
    return true;
  }

  fire(): void {
    this.#waiting = false;
    for (const user of this.users) user.pump();
    this.#core.qpc.wake();
  }
}
