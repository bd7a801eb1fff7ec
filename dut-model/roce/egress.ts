/**
 * Back-pressure of the link port (valid/ready of the hardware's link, hangu-rtl-facts.md 8): while as much as the
 * transmit FIFO holds waits to leave, no further request or READ response is begun.
 */
import type { EventHandler, Scheduler } from '../../uvm/kernel/scheduler.ts';
import type { LinkUpstream } from '../nic.ts';

/** Who begins packets. @public */
export interface EgressUser {
  /** There is room again after `isFull` was true. */
  roomToSend(): void;
}

/** @public */
export class Egress implements EventHandler {
  /** Both set once after construction. */
  link!: LinkUpstream;
  user!: EgressUser;
  readonly #scheduler: Scheduler;
  readonly #fifoPs: number;
  #waiting = false;

  /** @param fifoPs what the FIFO holds, as the time that the link takes to send it */
  constructor(scheduler: Scheduler, fifoPs: number) {
    this.#scheduler = scheduler;
    this.#fifoPs = fifoPs;
  }

  /** True when there is no room; then the user is told as soon as half of the FIFO is empty. */
  isFull(): boolean {
    if (this.#waiting) return true;
    const backlog = this.link.freeAt - this.#scheduler.now;
    if (backlog <= this.#fifoPs) return false;
    this.#waiting = true;
    this.#scheduler.schedule(backlog - Math.floor(this.#fifoPs / 2), this);
    return true;
  }

  fire(): void {
    this.#waiting = false;
    this.user.roomToSend();
  }
}
