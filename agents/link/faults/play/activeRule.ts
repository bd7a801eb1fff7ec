/** A rule at work: what it has matched and done so far. */

import type { FastStream } from '../../../../uvm/random/randomStream.ts';
import type { HeaderEdits } from '../edit/headerEdits.ts';
import type { FrameView } from '../frame/frameView.ts';
import type { FaultAction, SourcedRule } from '../rule/faultRule.ts';
import { isInSet } from '../rule/numberSet.ts';
import { ruleText } from '../rule/ruleText.ts';
import { type Actor, actorOf, draws, type FrameCase } from './actor.ts';
import { Selector } from './selector.ts';

/** Number of a rule among those of a run, from 0. */
export type RuleNumber = number & { readonly __brand: 'RuleNumber' };

/** One frame that a rule acted on. */
export interface Firing {
  readonly host: number;
  readonly ordinal: number;
  /** With all draws decided. */
  readonly action: FaultAction;
}

/** What a rule is given. */
export interface RuleParts {
  readonly number: RuleNumber;
  readonly sourced: SourcedRule;
  /** All faults end at this time, ps. */
  readonly end: number;
  readonly random: FastStream;
  readonly headerEdits: HeaderEdits;
  /** What a random rule did in the run that is replayed; null = it draws. */
  readonly schedule: readonly Firing[] | null;
}

export class ActiveRule {
  readonly number: RuleNumber;
  readonly sourced: SourcedRule;
  /** As `ruleText` writes it. */
  readonly text: string;
  /** Whether chance decides which frames it acts on, or how. */
  readonly isRandom: boolean;
  /** Frames that it has selected, before `nth`, `every` and `probability`; and those that it has acted on. */
  matched = 0;
  fired = 0;
  /** Of a random rule, everything that it did, in order. */
  readonly firings: Firing[] = [];

  readonly #selector: Selector;
  readonly #actor: Actor;
  readonly #random: FastStream;
  /** Of a schedule: what is done with which frame. */
  readonly #scheduled: ReadonlyMap<number, Actor> | null;
  #stopped = false;

  constructor({ number, sourced, end, random, headerEdits, schedule }: RuleParts) {
    const { rule } = sourced;
    this.number = number;
    this.sourced = sourced;
    this.text = ruleText(rule);
    this.isRandom = isRandom(rule);
    this.#selector = new Selector(rule, end);
    this.#random = random;
    this.#actor = actorOf(rule.action, { headerEdits, random });
    this.#scheduled =
      schedule === null || !this.isRandom
        ? null
        : new Map(schedule.map((f) => [frameKey(f), actorOf(f.action, { headerEdits, random })]));
  }

  /** Whether a run in which it never fires fails. */
  get mustFire(): boolean {
    const { rule } = this.sourced;
    return !rule.optional && rule.select.probability === undefined && rule.action.kind !== 'burst';
  }

  /** It acts no more. */
  stop(): void {
    this.#stopped = true;
  }

  /** Whether it would act on a frame. To be asked about each frame once, in the order in which they are sent. */
  wants(view: FrameView): boolean {
    if (this.#stopped || !this.#selector.selects(view)) return false;
    this.matched++;
    if (this.#scheduled !== null) return this.#scheduled.has(frameKey(view));
    const { nth, every, probability } = this.sourced.rule.select;
    if (nth !== undefined && !isInSet(nth, this.matched)) return false;
    if (every !== undefined && this.matched % every !== 0) return false;
    return probability === undefined || this.#random.chance(probability);
  }

  /** Acts on a frame that it wants. @returns whether there was anything to act on */
  act(frame: FrameCase): boolean {
    const actor = this.#scheduled?.get(frameKey(frame.view)) ?? this.#actor;
    const done = actor(frame);
    if (done === null) return false;
    this.fired++;
    const { host, ordinal } = frame.view;
    if (this.isRandom) this.firings.push({ host, ordinal, action: done });
    return true;
  }
}

/** One number for each frame of a run. */
function frameKey({ host, ordinal }: { readonly host: number; readonly ordinal: number }): number {
  return ordinal * 64 + host;
}

/** Whether the text of a rule alone does not say what it does. */
function isRandom({ action, select }: SourcedRule['rule']): boolean {
  return select.probability !== undefined || draws(action);
}
