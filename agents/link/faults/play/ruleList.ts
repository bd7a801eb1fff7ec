/** The rules of a run at work, in the order in which they act, and what they did. */

import type { FastStream } from '../../../../uvm/random/randomStream.ts';
import type { AnyRule } from '../rule/ruleLanguage.ts';
import type { ParsedRule } from '../rule/parseRule.ts';
import type { NumberSet } from '../rule/numberSet.ts';
import type { Firing } from './ruleAtWork.ts';

/** What a rule did in a run. */
export interface OutcomeOf<H> {
  readonly text: string;
  /** See `RuleSource`. */
  readonly source: string;
  readonly matched: number;
  readonly fired: number;
  readonly mustFire: boolean;
  /** What a random rule did, as rules of one frame or request each; null for one that chance has no part in, or that did too much. */
  readonly schedule: readonly string[] | null;
  /** Only where rules are explained. */
  readonly hits: readonly H[];
}

/** What a rule that comes next is made with. */
export interface Place {
  /** Its number among those of the run, from 0. */
  readonly number: number;
  readonly random: FastStream;
}

/** A rule at work, whatever it selects: see `RuleAtWork`. */
interface AtWork<A> {
  readonly text: string;
  readonly sourced: { readonly source: string };
  readonly matched: number;
  readonly fired: number;
  readonly mustFire: boolean;
  readonly isRandom: boolean;
  readonly firings: readonly Firing<A>[];
}

/** More firings of a rule are not kept: the seed repeats them as well. */
const MOST_FIRINGS = 100_000;

export class RuleList<A, W extends AtWork<A>, H> {
  readonly rules: W[] = [];
  readonly #hits: H[][] = [];
  readonly #random: (purpose: string, ordinal: number) => FastStream;
  readonly #firingText: (firing: Firing<A>) => string;

  /**
   * @param random a stream of its own for each purpose
   * @param firingText one firing, as the rule that does this and nothing else
   */
  constructor(random: (purpose: string, ordinal: number) => FastStream, firingText: (firing: Firing<A>) => string) {
    this.#random = random;
    this.#firingText = firingText;
  }

  /** A rule acts from now on, after all others. @param text of it */
  add(text: string, make: (place: Place) => W): W {
    // By its text: rules that come or go elsewhere change no draws of this one.
    const ordinal = this.rules.filter((rule) => rule.text === text).length;
    const rule = make({ number: this.rules.length, random: this.#random(`fault ${text}`, ordinal) });
    this.rules.push(rule);
    this.#hits.push([]);
    return rule;
  }

  /** Where rules are explained: the rule with this number would act. */
  noteHit(number: number, hit: H): void {
    this.#hits[number]?.push(hit);
  }

  /** Times that rules have acted. */
  get fired(): number {
    return this.rules.reduce((sum, rule) => sum + rule.fired, 0);
  }

  /** Rules that have not fired though they must. */
  get unfired(): readonly W[] {
    return this.rules.filter((rule) => rule.mustFire && rule.fired === 0);
  }

  /** What was done so far. */
  outcomes(): readonly OutcomeOf<H>[] {
    return this.rules.map((rule, i) => ({
      text: rule.text,
      source: rule.sourced.source,
      matched: rule.matched,
      fired: rule.fired,
      mustFire: rule.mustFire,
      schedule: rule.isRandom && rule.firings.length <= MOST_FIRINGS ? rule.firings.map(this.#firingText) : null,
      hits: this.#hits[i] as H[],
    }));
  }
}

/**
 * What a schedule says, from the text of a rule of one frame or request.
 * @param counted the key that names that by its ordinal
 */
export function parseFiring<R extends AnyRule>(
  text: string,
  parse: (text: string) => ParsedRule<R>,
  counted: 'frame' | 'request',
): Firing<R['action']> {
  const { rule } = parse(text);
  const select = rule?.select as Readonly<Record<string, NumberSet | undefined>> | undefined;
  const host = select?.['host']?.[0]?.[0];
  const ordinal = select?.[counted]?.[0]?.[0];
  if (rule === undefined || host === undefined || ordinal === undefined)
    throw new Error(`"${text}" is no rule of one ${counted}; write an action with host= and ${counted}=`);
  return { host, ordinal, action: rule.action };
}
