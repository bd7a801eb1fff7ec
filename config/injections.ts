/** The packets that a run injects by itself, from a file and from arguments. */
import { ruleSource } from '../agents/link/faults/rule/sourced.ts';
import { splitRules } from '../agents/link/faults/rule/parseRule.ts';
import { injectionText, parseInjection, type SourcedInjection } from '../agents/link/inject/injectRule.ts';
import type { FaultSources } from './faultPlan.ts';
import type { ParameterValues } from './table/parameterTable.ts';

/** Those of a run whose parameters can be read: the file's first. */
export function injectionsOf(values: ParameterValues, { faultFile }: FaultSources = {}): readonly SourcedInjection[] {
  const typed = splitRules(values.INJECT).flatMap((each) => {
    const { rule } = parseInjection(each);
    return rule === undefined ? [] : [{ rule, source: ruleSource('+INJECT') }];
  });
  return [...(faultFile?.inject ?? []), ...typed];
}

/** As they would be typed in one argument; '' for none. */
export function writtenInjections(injections: readonly SourcedInjection[]): string {
  return injections.map(({ rule }) => injectionText(rule)).join('; ');
}
