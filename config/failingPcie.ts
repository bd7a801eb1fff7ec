/** Faults of PCIe by which requests fail, for NICs whose software never hears of that. */
import { splitRules } from '../agents/link/faults/rule/parseRule.ts';
import type { PcieFaultPlan } from '../agents/pcie/faults/pcieFaultPlan.ts';
import { parsePcieRule, pcieRuleText } from '../agents/pcie/faults/rule/pcieLanguage.ts';
import { mayFail } from '../agents/pcie/faults/rule/pcieRule.ts';
import type { DeviceLimits } from '../env/deviceLimits.ts';

/** Rules as they are drawn, without those that fail requests. */
export function withoutFailing(text: string): string {
  const late = splitRules(text).filter((each) => {
    const { rule } = parsePcieRule(each);
    return rule === undefined || !mayFail(rule);
  });
  return late.join('; ');
}

/** What of a plan a NIC cannot do, with what to give instead. */
export function failingPcieProblems({ rules }: PcieFaultPlan, { failedReads = true }: DeviceLimits): string[] {
  if (failedReads) return [];
  const failing = rules.filter(({ rule }) => mayFail(rule));
  const names = new Set(
    failing.map(({ rule, source }) => (source === '+PCIE_ERROR_PCT' ? source : pcieRuleText(rule))),
  );
  const hint = 'leave it out, or use rules that make requests late: delay, reorder, split, back_pressure';
  return [...names].map((name) => `${name}: the software of this NIC does not hear of requests that fail; ${hint}`);
}
