/** What coverage of verbs asks about packets. */

import type { SimTime } from '../../uvm/kernel/scheduler.ts';

/** What tells whether packets are on their way. */
export interface WireTraffic {
  /** Whether a packet of a queue pair has left a moment ago. */
  isUnderWay(host: number, qpn: number): boolean;
  /** Whether any is. */
  readonly isBusy: boolean;
  /** Simulated time. */
  readonly now: SimTime;
}
