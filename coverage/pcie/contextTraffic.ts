/** When a NIC last read contexts from host memory, as one that has lost them does, and when it last wrote some there. */

import type { Scheduler, SimTime } from '../../uvm/kernel/scheduler.ts';

/** What a NIC has done to contexts in host memory since some moment. */
export const CONTEXT_MOVE = { none: 0, read: 1, written: 2, both: 3 } as const;

export class ContextTraffic {
  readonly #scheduler: Scheduler;
  #readAt: SimTime = -1;
  #writtenAt: SimTime = -1;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  /** @param isRead it reads some; else it writes some */
  moved(isRead: boolean): void {
    if (isRead) this.#readAt = this.#scheduler.now;
    else this.#writtenAt = this.#scheduler.now;
  }

  /** @returns `CONTEXT_MOVE` */
  since(time: SimTime): number {
    return (this.#readAt >= time ? CONTEXT_MOVE.read : 0) | (this.#writtenAt >= time ? CONTEXT_MOVE.written : 0);
  }
}
