/** What a NIC does about marked packets (roce-transport.md 8), as far as it has to be known to judge that. */

import type { SimTime } from '../../uvm/kernel/scheduler.ts';

export interface CongestionNotice {
  /** It answers marked packets of connected queue pairs with CNPs. Where it does not have to, it still must not without a mark. */
  readonly notifies: boolean;
  /** Least time between two CNPs for one queue pair, ps. */
  readonly interval: SimTime;
}

/** What a NIC does that has no congestion notification. */
export const NO_NOTICE: CongestionNotice = { notifies: false, interval: 0 };
