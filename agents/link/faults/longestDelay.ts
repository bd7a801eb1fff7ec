/** How late fault rules may make a frame. */

import type { SimTime } from '../../../uvm/kernel/scheduler.ts';
import type { FaultPlan } from './faultPlan.ts';
import type { FaultAction } from './rule/faultRule.ts';
import { longestOf } from './rule/timeDraw.ts';

const PS_PER_BYTE_AT_GBPS = 8000;

/** Longest time in ps by which the rules of a plan together hold back a frame, or a copy of one, from its host's cable on. */
export function longestDelay({ rules }: FaultPlan): SimTime {
  return rules.reduce((sum, { rule }) => sum + delayOf(rule.action), 0);
}

function delayOf(action: FaultAction): SimTime {
  if (action.kind === 'delay') return longestOf(action.by);
  if (action.kind === 'duplicate') return action.times * action.after;
  if (action.kind === 'reorder') return action.within;
  return action.kind === 'rate' ? Math.ceil((PS_PER_BYTE_AT_GBPS * action.queue) / action.gbps) : 0;
}
