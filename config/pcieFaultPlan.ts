/** The PCIe faults of a run, from a file, from rules that were typed, and from shares of all requests. */
import { type RuleSource, ruleSource } from '../agents/link/faults/rule/sourced.ts';
import { NO_PCIE_FAULTS, type PcieFaultPlan } from '../agents/pcie/faults/pcieFaultPlan.ts';
import { parsePcieRule, pcieRuleText } from '../agents/pcie/faults/rule/pcieLanguage.ts';
import type { SourcedPcieRule } from '../agents/pcie/faults/rule/pcieRule.ts';
import type { FaultSources } from './faultPlan.ts';
import { ruleOf, typedRules, writtenBut } from './typedRules.ts';
import type { ParameterName, ParameterValues } from './table/parameterTable.ts';

/** What each share does, in equal parts. Contexts are left alone: no queue pair would be left soon. */
const SHARES = {
  PCIE_DELAY_PCT: ['delay by=1us..20us', 'reorder by=1us..20us', 'split', 'back_pressure by=1us..10us'],
  PCIE_ERROR_PCT: ['ur', 'ca', 'poison', 'lose'].map((action) => `${action} area=data,queue`),
} as const satisfies Partial<Record<ParameterName, readonly string[]>>;

/** The plan of a run whose parameters can be read. */
export function pcieFaultPlanOf(values: ParameterValues, sources: FaultSources = {}): PcieFaultPlan {
  const { faultFile, explainFaults = false, listFrames = false, pcieSchedules } = sources;
  const rules = [
    ...(faultFile?.pcie ?? []),
    ...typedRules(values.PCIE_FAULT, parsePcieRule, 'PCIE_FAULT'),
    ...shareRules(values),
  ];
  if (rules.length === 0) return NO_PCIE_FAULTS;
  return {
    rules,
    until: values.FAULT_UNTIL === 0 ? NO_PCIE_FAULTS.until : values.FAULT_UNTIL,
    explain: explainFaults,
    census: listFrames,
    schedules: pcieSchedules,
  };
}

/** The rules of a plan that no share stands for, as they would be typed in one argument; '' for none. */
export function writtenPcieRules({ rules }: PcieFaultPlan): string {
  const shares: readonly string[] = Object.keys(SHARES).map((name) => `+${name}`);
  return writtenBut(rules, shares, pcieRuleText);
}

function shareRules(values: ParameterValues): SourcedPcieRule[] {
  return (Object.keys(SHARES) as (keyof typeof SHARES)[]).flatMap((name) =>
    values[name] === 0 ? [] : SHARES[name].map((text) => sharedRule(text, values[name], ruleSource(`+${name}`))),
  );
}

/** A quarter of the share. */
function sharedRule(text: string, percent: number, source: RuleSource): SourcedPcieRule {
  const chance = Number((percent / 100 / 4).toPrecision(9));
  return { rule: ruleOf(`${text} probability=${chance}`, parsePcieRule), source };
}
