import { RULE, RULE_NAMES, type RuleName, type TransportRule } from './transportRules.ts';

const NAME_OF = new Map<TransportRule, RuleName>(RULE_NAMES.map((name) => [RULE[name], name]));

/** Which rules of the transport hold in a run, and how often each was found broken. */
export class RuleHits {
  readonly #hits = new Map<RuleName, number>();
  #off: ReadonlySet<string> = new Set();

  /** Rules with these names hold no more; names of other rows of the judge are passed over. */
  switchOff(names: readonly string[]): void {
    this.#off = new Set(names);
  }

  /** A rule is broken. @returns whether it holds, so that it is to be reported */
  found(rule: TransportRule): boolean {
    const name = NAME_OF.get(rule) as RuleName;
    if (this.#off.has(name)) return false;
    this.#hits.set(name, (this.#hits.get(name) ?? 0) + 1);
    return true;
  }

  /** How often each was found broken, those that were. */
  get counts(): ReadonlyMap<RuleName, number> {
    return this.#hits;
  }
}
