/** All that is asked for of the faults of a run. */

import type { SimTime } from '../../../uvm/kernel/scheduler.ts';
import type { FaultAction, FaultRule, SourcedRule } from './rule/faultRule.ts';
import { areReliable } from './rule/opcodeNames.ts';

/** Plain data: decided before the run. */
export interface FaultPlan {
  /** In the order in which they act. */
  readonly rules: readonly SourcedRule[];
  /** No fault begins at or after this time, ps; Infinity = never ends. */
  readonly until: SimTime;
  /** Data packets say that they are capable of congestion notification, and marked ones are answered. */
  readonly ecn: boolean;
  /** Say which frames the rules would hit, and hit none. */
  readonly explain: boolean;
  /** Keep every frame that is sent, for `FaultOutcome.frames`. Default false. */
  readonly census?: boolean | undefined;
  /**
   * Of a replay: what each rule did in the run that is repeated, as texts of `frame=` rules, by the number of the rule;
   * null for one that chance had no part in. Default: nothing is replayed.
   */
  readonly schedules?: readonly (readonly string[] | null)[] | undefined;
}

/** A run without faults. */
export const NO_FAULTS: FaultPlan = { rules: [], until: Number.POSITIVE_INFINITY, ecn: false, explain: false };

/** Whether a rule may keep a frame from arriving in time, whole and once, or its receiver from taking it. */
export function mayDisturb({ action }: FaultRule): boolean {
  return action.kind !== 'mark';
}

/** Whether a rule may hit messages that nobody sends again: those of UC and UD. */
export function mayHitUnreliable({ action, select }: FaultRule): boolean {
  // What waits for messages of a NIC that is reset is told so.
  if (action.kind === 'nic_reset' || !mayDisturb({ action, select, optional: false })) return false;
  const { service, opcode } = select;
  if (service?.every((name) => name === 'rc') === true) return false;
  return opcode === undefined || !areReliable(opcode);
}

/** Whether a rule may make a receiver take something for sound that was not sent. */
export function mayForge({ action }: FaultRule): boolean {
  return isRepairable(action) && action.repaired === true;
}

function isRepairable(action: FaultAction): action is FaultAction<'corrupt' | 'truncate'> {
  return action.kind === 'corrupt' || action.kind === 'truncate';
}
