/** The language of fault rules of the link. */

import { ACTIONS, type FaultRule, SELECTION_KEYS } from './faultRule.ts';
import type { RuleLanguage } from './ruleLanguage.ts';
import { ruleMistakes } from './ruleSense.ts';

export const LINK_LANGUAGE: RuleLanguage<FaultRule> = {
  actions: ACTIONS,
  selection: SELECTION_KEYS,
  mistakes: ruleMistakes,
};
