/** The text of a rule: `drop host=1 qp=3 opcode=ack nth=2`, one word for each thing that is said. */

import {
  ACTIONS,
  type ActionName,
  type FaultAction,
  type FaultRule,
  SELECTION_KEYS,
  type SelectionKey,
} from './faultRule.ts';
import type { RuleValue } from './ruleValue.ts';

/** Word that makes a rule one that need not fire. */
export const OPTIONAL = 'optional';

/** What a key of an action stands for when it is not given; see `ACTIONS`. */
export interface KeyOfAction {
  readonly value: RuleValue<unknown>;
  readonly default: string | null | undefined;
}

/** The keys of an action, in the order of its table. */
export function keysOf(action: ActionName): readonly (readonly [name: string, key: KeyOfAction])[] {
  return Object.entries(ACTIONS[action] as Readonly<Record<string, KeyOfAction>>);
}

/** How a rule is written, in one form for all that mean the same: `parseRule` reads it back to an equal rule. */
export function ruleText({ action, select, optional }: FaultRule): string {
  const chosen = (Object.keys(SELECTION_KEYS) as SelectionKey[])
    .filter((name) => select[name] !== undefined)
    .map((name) => word(name, SELECTION_KEYS[name] as RuleValue<unknown>, select[name]));
  return [action.kind, ...chosen, ...actionWords(action), ...(optional ? [OPTIONAL] : [])].join(' ');
}

/** The values of an action, without those that stand in for what was not given. */
function actionWords(action: FaultAction): string[] {
  const values = action as unknown as Readonly<Record<string, unknown>>;
  return keysOf(action.kind).flatMap(([name, { value, default: standard }]) => {
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
