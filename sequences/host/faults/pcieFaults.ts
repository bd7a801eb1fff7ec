/** The PCIe ports as sequences see them: what takes their fault rules. */

import { ruleSource } from '../../../agents/link/faults/rule/sourced.ts';
import { parsePcieRule } from '../../../agents/pcie/faults/rule/pcieLanguage.ts';
import type { PcieRule, SourcedPcieRule } from '../../../agents/pcie/faults/rule/pcieRule.ts';
import { FaultRuleError, type LinkFault } from './linkFaults.ts';

export interface PcieFaults {
  /** From now on the rule acts, after all that are there. */
  addFault(rule: SourcedPcieRule): LinkFault;
}

/** The rule of a text, or a rule that is one already. @throws FaultRuleError that says all that is wrong */
export function pcieRuleOf(rule: string | PcieRule, sequence: string): SourcedPcieRule {
  const source = ruleSource(`sequence ${sequence}`);
  if (typeof rule !== 'string') return { rule, source };
  const parsed = parsePcieRule(rule);
  if (parsed.rule !== undefined) return { rule: parsed.rule, source };
  throw new FaultRuleError(`the fault rule '${rule}': ${parsed.mistakes.map(({ message }) => message).join('; ')}`);
}
