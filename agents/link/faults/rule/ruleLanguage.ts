/**
 * What the languages of fault rules have in common, that of the link and that of PCIe: a rule is an action with its own words, and
 * words that select. Reader, writer and files work on the tables of a language; its types are made from them.
 */

import type { RuleMistake } from './ruleMistake.ts';
import type { RuleValue } from './ruleValue.ts';

/** What a key of an action stands for when it is not given: undefined = it must be; null = it has no value then. */
export interface KeyOfAction {
  readonly value: RuleValue<unknown>;
  readonly default: string | null | undefined;
}

/** A rule of some language. */
export interface AnyRule {
  readonly action: { readonly kind: string };
  readonly select: object;
  readonly optional: boolean;
}

export interface RuleLanguage<R extends AnyRule> {
  readonly actions: Readonly<Record<string, Readonly<Record<string, KeyOfAction>>>>;
  readonly selection: Readonly<Record<string, RuleValue<unknown>>>;
  /** What makes no sense in a rule although each word of it can be read. */
  mistakes(rule: R): RuleMistake[];
}

/** The keys of an action, in the order of its table. */
export function keysIn<R extends AnyRule>(
  language: RuleLanguage<R>,
  action: string,
): readonly (readonly [name: string, key: KeyOfAction])[] {
  return Object.entries(language.actions[action] ?? {});
}
