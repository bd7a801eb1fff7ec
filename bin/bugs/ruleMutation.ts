/**
 * Takes the judge's rules of the transport away, one after another, and looks whether a planted bug is then no longer found
 * under the id of the rule: a rule that no bug needs is either not shown by any, or redundant.
 *
 *   RuleMutation.rows() -> one MutatedRule for each row of RULE
 */

import { RULE, RULE_NAMES, type RuleName, type TransportRule } from '../../agents/wire/transportRules.ts';
import type { FaultEntry, NicEntry } from '../../env/nicKind.ts';
import type { Registry } from '../registry.ts';
import { BugHunt } from './bugHunt.ts';

/** What came of one rule. */
export interface MutatedRule {
  readonly name: RuleName;
  readonly rule: TransportRule;
  /** Bugs that name its id and that break it, as `kind: bug`. */
  readonly breakers: readonly string[];
  /** The first of them that is not found under that id without the rule, or a spec that fails; undefined = none. */
  readonly needs: string | undefined;
}

/** A bug with the rules that it breaks. */
interface PlayedBug {
  readonly nic: NicEntry;
  readonly bug: FaultEntry;
  readonly broken: ReadonlySet<string>;
}

/** Counters of the record: `broken_<rule>`. */
const BROKEN = 'broken_';

export class RuleMutation {
  readonly #registry: Registry;
  readonly #nics: readonly NicEntry[];
  readonly #tell: (line: string) => void;

  /** @param tell progress, a line at a time */
  constructor(registry: Registry, nics: readonly NicEntry[], tell: (line: string) => void = () => {}) {
    this.#registry = registry;
    this.#nics = nics;
    this.#tell = tell;
  }

  /** Every rule, in the order of the table. Plays each bug that names the id of a rule once, and some of them again. */
  rows(): readonly MutatedRule[] {
    const played = this.#nics.flatMap((nic) => this.#play(nic));
    return RULE_NAMES.map((name) => this.#mutate(name, played));
  }

  #play(nic: NicEntry): readonly PlayedBug[] {
    const ids = new Set<string>(RULE_NAMES.map((name) => RULE[name].id));
    const hunt = this.#hunt(nic, '+JUDGE_STATS=1');
    const bugs = nic.faults.filter(({ caughtBy = [] }) => caughtBy.some((id) => ids.has(id)));
    this.#tell(`${nic.name}: ${bugs.length} bugs name a rule of the transport`);
    return bugs.map((bug) => {
      const counters = Object.keys(hunt.play(bug).counts).filter((name) => name.startsWith(BROKEN));
      return { nic, bug, broken: new Set(counters.map((name) => name.slice(BROKEN.length))) };
    });
  }

  #hunt(nic: NicEntry, plusarg: string): BugHunt {
    return new BugHunt(nic, { registry: this.#registry, more: [plusarg], until: 'end' });
  }

  #mutate(name: RuleName, played: readonly PlayedBug[]): MutatedRule {
    const rule: TransportRule = RULE[name];
    const breaking = played.filter(({ bug, broken }) => broken.has(name) && bug.caughtBy?.includes(rule.id) === true);
    const nics = new Set(breaking.map(({ nic }) => nic));
    const hunts = new Map([...nics].map((nic) => [nic, this.#hunt(nic, `+JUDGE_WITHOUT=${name}`)]));
    const needing = breaking.find(({ nic, bug }) => hunts.get(nic)?.play(bug).ids.includes(rule.id) === false);
    const nameOf = ({ nic, bug }: PlayedBug): string => `${nic.name}: ${bug.name}`;
    return { name, rule, breakers: breaking.map(nameOf), needs: needing && nameOf(needing) };
  }
}
