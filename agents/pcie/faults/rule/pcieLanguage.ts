/** The language of fault rules of PCIe: its tables, and what makes no sense although each word of it can be read. */

import { parseRuleIn, type ParsedRule } from '../../../link/faults/rule/parseRule.ts';
import type { RuleLanguage } from '../../../link/faults/rule/ruleLanguage.ts';
import type { RuleMistake } from '../../../link/faults/rule/ruleMistake.ts';
import { chanceMistakes, countMistakes, windowMistakes } from '../../../link/faults/rule/selectionSense.ts';
import { ruleTextIn } from '../../../link/faults/rule/ruleText.ts';
import { longestOf } from '../../../link/faults/rule/timeDraw.ts';
import { formatTime, US } from '../../../../uvm/kernel/time.ts';
import { ACTION_KINDS, PCIE_ACTIONS, PCIE_SELECTION_KEYS, type PcieRule } from './pcieRule.ts';

/** What is later than this is lost, for a NIC whose completion time-out may be as short. */
const LONGEST_DELAY = 100 * US;

export const PCIE_LANGUAGE: RuleLanguage<PcieRule> = {
  actions: PCIE_ACTIONS,
  selection: PCIE_SELECTION_KEYS,
  mistakes: (rule) => [
    ...kindMistakes(rule),
    ...lateMistakes(rule),
    ...windowMistakes(rule.select),
    ...countMistakes(rule.select, 'request'),
    ...chanceMistakes(rule.select),
  ],
};

/** Reads the text of one rule of PCIe. */
export function parsePcieRule(text: string): ParsedRule<PcieRule> {
  return parseRuleIn(PCIE_LANGUAGE, text);
}

/** As `parsePcieRule` reads it. */
export function pcieRuleText(rule: PcieRule): string {
  return ruleTextIn(PCIE_LANGUAGE, rule);
}

function kindMistakes({ action, select }: PcieRule): RuleMistake[] {
  const { possible } = ACTION_KINDS[action.kind];
  const wrong = select.kind?.find((kind) => !possible.includes(kind));
  if (wrong !== undefined) {
    const message = `kind=${wrong}: ${action.kind} is for ${possible.join(' and ')}; write kind=${possible.at(-1)}`;
    return [{ key: 'kind', message }];
  }
  const poisonsWrites = action.kind === 'poison' && select.kind?.includes('write') === true;
  if (!poisonsWrites || select.area?.join() === 'data') return [];
  const what = 'a poisoned write never reaches memory, and software would wait for an entry or context for ever';
  return [{ key: 'area', message: `${what}; write area=data with it` }];
}

function lateMistakes({ action }: PcieRule): RuleMistake[] {
  if (!('by' in action) || longestOf(action.by) <= LONGEST_DELAY) return [];
  const said = `${formatTime(longestOf(action.by))} is longer than ${formatTime(LONGEST_DELAY)}`;
  return [{ key: 'by', message: `by: ${said}, after which a NIC may give a read up; write lose for that` }];
}
