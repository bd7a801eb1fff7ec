/** Where rules come from. */

/** For messages and the record: `+NET_FAULT`, `faults.yaml:3:5`, `+LOSS_PCT`, the name of a sequence. */
export type RuleSource = string & { readonly __brand: 'RuleSource' };

/** A rule of some language with its origin. */
export interface Sourced<R> {
  readonly rule: R;
  readonly source: RuleSource;
}

/** Names what a rule comes from. */
export function ruleSource(text: string): RuleSource {
  return text as RuleSource;
}
