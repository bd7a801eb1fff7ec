/** A rule of any language at work: what it has matched and done so far, and whose turn it is. */

import type { FastStream } from '../../../../uvm/random/randomStream.ts';
import { isInSet, type NumberSet } from '../rule/numberSet.ts';
import type { RuleSource } from '../rule/sourced.ts';

/** What rules act on: a frame, or a request of a NIC. */
export interface Numbered {
  readonly host: number;
  /** Among all of its host, from 1. */
  readonly ordinal: number;
}

/** One thing that a rule acted on. */
export interface Firing<A> extends Numbered {
  /** With all draws decided. */
  readonly action: A;
}

/** A rule, as far as its turns are decided by it. */
interface TurnRule {
  readonly select: {
    readonly nth?: NumberSet;
    readonly every?: number;
    readonly probability?: number;
  };
  readonly optional: boolean;
}

/** What a rule is given. */
export interface TurnParts<R> {
  readonly sourced: { readonly rule: R; readonly source: RuleSource };
  /** As it is written. */
  readonly text: string;
  /** Whether chance decides what it acts on, or how. */
  readonly isRandom: boolean;
  readonly random: FastStream;
}

/** @typeParam A what it does, with all draws decided @typeParam S what its schedule holds for each of its turns */
export abstract class RuleAtWork<R extends TurnRule, A, S = A> {
  readonly sourced: TurnParts<R>['sourced'];
  readonly text: string;
  readonly isRandom: boolean;
  /** What it has selected, before `nth`, `every` and `probability`; and what it has acted on. */
  matched = 0;
  fired = 0;
  /** Of a random rule, everything that it did, in order. */
  readonly firings: Firing<A>[] = [];

  protected readonly random: FastStream;
  readonly #scheduled: ReadonlyMap<number, S> | null;
  #stopped = false;

  /** @param schedule of a random rule in a run that is replayed: what it does with what; null = it draws */
  constructor({ sourced, text, isRandom, random }: TurnParts<R>, schedule: readonly (readonly [Numbered, S])[] | null) {
    this.sourced = sourced;
    this.text = text;
    this.isRandom = isRandom;
    this.random = random;
    this.#scheduled =
      schedule === null || !isRandom ? null : new Map(schedule.map(([which, what]) => [keyOf(which), what]));
  }

  /** Whether a run in which it never fires fails. */
  get mustFire(): boolean {
    const { rule } = this.sourced;
    return !rule.optional && rule.select.probability === undefined;
  }

  /** It acts no more. */
  stop(): void {
    this.#stopped = true;
  }

  protected get stopped(): boolean {
    return this.#stopped;
  }

  /** Whether it acts on the next one that it selects. To be asked about each once, in the order in which they are sent. */
  protected isTurn(which: Numbered): boolean {
    this.matched++;
    if (this.#scheduled !== null) return this.#scheduled.has(keyOf(which));
    const { nth, every, probability } = this.sourced.rule.select;
    if (nth !== undefined && !isInSet(nth, this.matched)) return false;
    if (every !== undefined && this.matched % every !== 0) return false;
    return probability === undefined || this.random.chance(probability);
  }

  /** What its schedule says of one; undefined where it draws. */
  protected scheduled(which: Numbered): S | undefined {
    return this.#scheduled?.get(keyOf(which));
  }

  /** It has acted. */
  protected noteFired({ host, ordinal }: Numbered, action: A): void {
    this.fired++;
    if (this.isRandom) this.firings.push({ host, ordinal, action });
  }
}

/** One number for each frame, or request, of a run. */
function keyOf({ host, ordinal }: Numbered): number {
  return ordinal * 64 + host;
}
