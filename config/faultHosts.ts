/** Fault rules about hosts that a run does not have: they would wait for a frame that nobody sends. */

import type { AnyRule } from '../agents/link/faults/rule/ruleLanguage.ts';
import type { NumberSet } from '../agents/link/faults/rule/numberSet.ts';
import type { Sourced } from '../agents/link/faults/rule/sourced.ts';

/** Selections that name hosts: where a frame comes from, and where it goes. */
const HOSTS = ['host', 'to'] as const;

/** @param hosts how many there are @param textOf a rule as it would be typed */
export function faultHostProblems<R extends AnyRule>(
  rules: readonly Sourced<R>[],
  hosts: number,
  textOf: (rule: R) => string,
): string[] {
  return rules.flatMap(({ rule, source }) => {
    const select = rule.select as { readonly [K in (typeof HOSTS)[number]]?: NumberSet | undefined };
    const named = HOSTS.flatMap((key) => (select[key] ?? []).map(([low]) => ({ key, low })));
    const strange = named.find(({ low }) => low >= hosts);
    if (strange === undefined) return [];
    const { key, low } = strange;
    const there = `the hosts of this run are 0 to ${hosts - 1}; try ${key}=${hosts - 1}, or give +HOST_NUM=${low + 1}`;
    return [`the fault rule '${textOf(rule)}' (${source}): ${key}=${low}: ${there}`];
  });
}
