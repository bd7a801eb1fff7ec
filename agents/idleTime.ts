import type { SimTime } from '../uvm/kernel/scheduler.ts';
import { US } from '../uvm/kernel/time.ts';

/** Shorter ones are not remembered: between two steps of its work a NIC may do nothing that can be seen for less than this, ps. */
export const SHORTEST_IDLE = 5 * US;

/** The latest time in which nothing moved at a port, in ps: kept by who sees what moves there. */
export class IdleTime {
  // Not numbers at first, so that the engine keeps doubles from the start.
  from: SimTime = Number.NaN;
  to: SimTime = Number.NaN;

  constructor() {
    this.from = 0;
    this.to = 0;
  }

  /** Something moves after nothing has moved since `from`. */
  ends(from: SimTime, to: SimTime): void {
    if (to - from < SHORTEST_IDLE) return;
    this.from = from;
    this.to = to;
  }
}
