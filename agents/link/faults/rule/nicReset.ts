/** Rules that are about no frame: the reset of a NIC. */

import type { SimTime } from '../../../../uvm/kernel/scheduler.ts';
import type { FaultRule } from './faultRule.ts';
import { isInSet } from './numberSet.ts';

/** When which NICs are reset. */
export interface NicReset {
  readonly at: SimTime;
  /** Whether that of a host is. */
  hits(host: number): boolean;
}

/** What a rule says of that; null for one of frames. */
export function resetOf({ action, select }: FaultRule): NicReset | null {
  const { host = [], from = 0 } = select;
  return action.kind === 'nic_reset' ? { at: from, hits: (each) => isInSet(host, each) } : null;
}
