/** Rules as parameters hold them, whatever their language. */
import { type ParsedRule, splitRules } from '../agents/link/faults/rule/parseRule.ts';
import type { AnyRule } from '../agents/link/faults/rule/ruleLanguage.ts';
import { ruleSource, type Sourced } from '../agents/link/faults/rule/sourced.ts';
import type { ParameterName } from './table/parameterTable.ts';

type Parse<R extends AnyRule> = (text: string) => ParsedRule<R>;

/** Those of a text of several; what cannot be read is left out, and told of where parameters are read. */
export function typedRules<R extends AnyRule>(text: string, parse: Parse<R>, parameter: ParameterName): Sourced<R>[] {
  return splitRules(text).flatMap((each) => {
    const { rule } = parse(each);
    return rule === undefined ? [] : [{ rule, source: ruleSource(`+${parameter}`) }];
  });
}

/** The rule of a text that can be read. @throws Error for another one */
export function ruleOf<R extends AnyRule>(text: string, parse: Parse<R>): R {
  const { rule, mistakes } = parse(text);
  if (rule === undefined) throw new Error(`"${text}": ${mistakes.map(({ message }) => message).join('; ')}`);
  return rule;
}

/** Those that no share stands for, as they would be typed in one argument; '' for none. @param shares their sources */
export function writtenBut<R>(
  rules: readonly Sourced<R>[],
  shares: readonly string[],
  textOf: (rule: R) => string,
): string {
  const written = rules.filter(({ source }) => !shares.includes(source));
  return written.map(({ rule }) => textOf(rule)).join('; ');
}
