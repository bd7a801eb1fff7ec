/**
 * What the languages of fault rules have in common, that of the link and that of PCIe: a rule is an action with its own words, and
 * words that select. Reader, writer and files work on the tables of a language; its types are made from them.
 */

import type { RuleMistake } from './ruleMistake.ts';
import type { RuleValue } from './ruleValue.ts';

/** A key of an action: how its value is written, and what stands in for it, as it would be written; '' for a flag. */
export interface KeyOfAction {
  readonly value: RuleValue<unknown>;
  /** undefined = it must be given; null = it may be left out, and has no value then. */
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
