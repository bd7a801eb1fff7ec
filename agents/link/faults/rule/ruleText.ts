/** The text of a rule: `drop host=1 qp=3 opcode=ack nth=2`, one word for each thing that is said. */

import type { FaultRule } from './faultRule.ts';
import { LINK_LANGUAGE } from './linkLanguage.ts';
import { type AnyRule, keysIn, type RuleLanguage } from './ruleLanguage.ts';
import type { RuleValue } from './ruleValue.ts';

/** Word that makes a rule one that need not fire. */
export const OPTIONAL = 'optional';

/** How a rule is written, in one form for all that mean the same: `parseRule` reads it back to an equal rule. */
export function ruleText(rule: FaultRule): string {
  return ruleTextIn(LINK_LANGUAGE, rule);
}

/** As `ruleText`, in a language. */
export function ruleTextIn<R extends AnyRule>(language: RuleLanguage<R>, { action, select, optional }: R): string {
  const values = select as Readonly<Record<string, unknown>>;
  const chosen = Object.keys(language.selection)
    .filter((name) => values[name] !== undefined)
    .map((name) => word(name, language.selection[name] as RuleValue<unknown>, values[name]));
  return [action.kind, ...chosen, ...actionWords(language, action), ...(optional ? [OPTIONAL] : [])].join(' ');
}

/** The values of an action, without those that stand in for what was not given. */
function actionWords<R extends AnyRule>(language: RuleLanguage<R>, action: AnyRule['action']): string[] {
  const values = action as unknown as Readonly<Record<string, unknown>>;
  return keysIn(language, action.kind).flatMap(([name, { value, default: standard }]) => {
    const given = values[name];
    if (given === null) return [];
    const text = value.write(given);
    return text === standard ? [] : [word(name, value, given)];
  });
}

function word(name: string, value: RuleValue<unknown>, given: unknown): string {
  const text = value.write(given);
  return text === '' ? name : `${name}=${text}`;
}
