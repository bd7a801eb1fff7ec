/** How late fault rules may make a frame. */

import type { SimTime } from '../../../uvm/kernel/scheduler.ts';
import type { FaultPlan } from './faultPlan.ts';
import type { FaultAction } from './rule/faultRule.ts';
import { longestOf } from './rule/timeDraw.ts';

const PS_PER_BYTE_AT_GBPS = 8000;
/** A frame with a payload of 4096 bytes, and more: a bottleneck that is idle takes it whatever the length of its queue. */
const LONGEST_FRAME = 4224;

/** Longest time in ps by which the rules of a plan together hold back a frame, or a copy of one, from its host's cable on. */
export function longestDelay({ rules }: FaultPlan): SimTime {
  return rules.reduce((sum, { rule }) => sum + delayOf(rule.action), 0);
}

function delayOf(action: FaultAction): SimTime {
  if (action.kind === 'delay') return longestOf(action.by);
  if (action.kind === 'duplicate') return action.times * action.after;
  if (action.kind === 'reorder') return action.within;
  if (action.kind !== 'rate') return 0;
  return Math.ceil((PS_PER_BYTE_AT_GBPS * Math.max(action.queue, LONGEST_FRAME)) / action.gbps);
}
