/** Resets of NICs, for NICs whose software cannot take one. */
import type { FaultPlan } from '../agents/link/faults/faultPlan.ts';
import { resetOf } from '../agents/link/faults/rule/nicReset.ts';
import { ruleText } from '../agents/link/faults/rule/ruleText.ts';
import type { DeviceLimits } from '../env/deviceLimits.ts';

/** What of a plan a NIC cannot do, with what to give instead. */
export function nicResetProblems({ rules }: FaultPlan, { nicReset = true }: DeviceLimits): string[] {
  if (nicReset) return [];
  const hint = 'leave it out, take another +DUT, or let the cable go down: link_down host= from= until=';
  return rules.flatMap(({ rule, source }) =>
    resetOf(rule) === null
      ? []
      : [`${ruleText(rule)} (${source}): the software of this NIC cannot take a reset of its NIC; ${hint}`],
  );
}
