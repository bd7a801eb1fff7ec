/**
 * Reduces a failing scenario as long as it fails in the same way: parts are taken out from large to small, several at
 * once before one by one; what is left is made simpler; and both again until neither does anything.
 *
 * The same way: report id and text of the first error, without what is different in each run.
 */

import type { CallScenario, CallStep } from '../../config/scenario/calls/callScenario.ts';
import { stepsOf, withoutSteps } from '../../config/scenario/calls/callEdits.ts';
import { earlierPcieRules, earlierRules, withFollowingRules } from './faultAddresses.ts';
import { renumbered } from './renumbering.ts';
import { hastened, type Lowering, lowered, loweringsOf, togetherLowered, withLengths } from './lowering.ts';
import { onlyConnectionsOf, type SpanKind, SPANS } from './spans.ts';
import type { TrialOutcome } from './trial.ts';

/** What ends shrinking early. */
export interface ShrinkBudget {
  readonly runs: number;
  readonly seconds: number;
}

/** What a shrinker works with. */
export interface ShrinkOptions {
  readonly play: (scenario: CallScenario) => TrialOutcome;
  /** Whether a scenario that fails as it should is legal; default: all are. */
  readonly isLegal?: (scenario: CallScenario, outcome: TrialOutcome) => boolean;
  /** The failure that is looked for. */
  readonly signature: string;
  readonly budget: ShrinkBudget;
  /** Asked before each run; a text ends shrinking with what has been found so far. */
  readonly stop?: (() => Promise<string | undefined>) | undefined;
  /** Told of every run. */
  readonly progress?: ((state: ShrinkProgress) => void) | undefined;
}

/** How far it has come. */
export interface ShrinkProgress {
  readonly runs: number;
  readonly steps: number;
  /** What is being tried. */
  readonly stage: string;
}

/** What has come of it. */
export interface Shrunk {
  readonly scenario: CallScenario;
  readonly runs: number;
  readonly seconds: number;
  /** Why it has ended before nothing could be taken out any more; '' when it has not. */
  readonly ended: string;
  /** Other failures that were met, by how often. */
  readonly others: ReadonlyMap<string, number>;
  /** Smaller scenarios that fail in the same way and are not legal: a NIC with nothing wrong fails as well. */
  readonly illegal: number;
}

class Ended extends Error {}

export class Shrinker {
  readonly #options: ShrinkOptions;
  readonly #seen = new Set<string>();
  readonly #others = new Map<string, number>();
  readonly #began = performance.now();
  #best: CallScenario;
  /** When its steps began. */
  #begun: TrialOutcome['begun'] = new Map();
  #runs = 0;
  #illegal = 0;
  #stage = '';

  /** @param scenario one that fails with the signature */
  constructor(scenario: CallScenario, options: ShrinkOptions) {
    this.#best = scenario;
    this.#options = options;
  }

  async shrink(): Promise<Shrunk> {
    const ended = await this.#untilEnded(async () => {
      const first = this.#options.play(this.#best);
      this.#begun = first.begun;
      await this.#tidy(first);
      await this.#focus(first.subjects);
      await this.#advanceRules();
      for (let before = -1; before !== this.#size; ) {
        before = this.#size;
        for (const kind of SPANS) await this.#reduce(kind);
        await this.#free();
        await this.#renumber();
        await this.#lower();
        await this.#advanceRules();
      }
    });
    return {
      scenario: this.#best,
      runs: this.#runs,
      seconds: this.#seconds,
      ended,
      others: this.#others,
      illegal: this.#illegal,
    };
  }

  /**
   * Whether a scenario still fails in the same way; not asked for one that has been tried before. The first that does
   * becomes the best one.
   */
  async attempt(smaller: CallScenario): Promise<boolean> {
    const candidate = withFollowingRules(this.#best, smaller);
    const outcome = await this.#try(candidate);
    if (outcome === undefined) return false;
    this.#keep(candidate, outcome);
    await this.#tidy(outcome);
    return true;
  }

  async #try(candidate: CallScenario): Promise<TrialOutcome | undefined> {
    const key = JSON.stringify(candidate);
    if (this.#seen.has(key)) return undefined;
    this.#seen.add(key);
    await this.#pause();
    this.#runs++;
    const { play, signature, isLegal } = this.#options;
    const outcome = play(candidate);
    if (outcome.signature === signature) {
      if (isLegal?.(candidate, outcome) !== false) return outcome;
      this.#illegal++;
      return undefined;
    }
    if (outcome.signature !== '') this.#others.set(outcome.signature, (this.#others.get(outcome.signature) ?? 0) + 1);
    return undefined;
  }

  /** What was never begun, and what could not be made, has no part in the failure. */
  async #tidy({ begun, leftOut }: TrialOutcome): Promise<void> {
    const idle = (without: (step: CallStep) => boolean): CallScenario => {
      return withoutSteps(this.#best, new Set(stepsOf(this.#best).filter(without)));
    };
    const all = idle((step) => !begun.has(step) || leftOut.has(step));
    if (stepsOf(all).length === stepsOf(this.#best).length) return;
    if (await this.#kept(all)) return;
    const ended = idle((step) => !begun.has(step));
    if (stepsOf(ended).length < stepsOf(this.#best).length) await this.#kept(ended);
  }

  /** Takes a scenario for the best one if it fails in the same way. */
  async #kept(candidate: CallScenario): Promise<boolean> {
    const outcome = await this.#try(candidate);
    if (outcome !== undefined) this.#keep(candidate, outcome);
    return outcome !== undefined;
  }

  #keep(candidate: CallScenario, { begun }: TrialOutcome): void {
    this.#best = candidate;
    this.#begun = begun;
  }

  /** What the failure names is enough for most: then everything else goes at once. */
  async #focus(subjects: ReadonlySet<string>): Promise<void> {
    this.#stage = 'what the failure names';
    if (subjects.size > 0) await this.attempt(onlyConnectionsOf(this.#best, subjects));
  }

  /** Waits until a time hold what is taken out elsewhere: it would come too early or too late. */
  async #free(): Promise<void> {
    this.#stage = 'waits';
    const free = withLengths(this.#best, this.#begun);
    if (JSON.stringify(free) !== JSON.stringify(this.#best)) await this.attempt(free);
  }

  /** Takes out as many parts of a kind as possible: halves, quarters and so on, then one by one, the last ones first. */
  async #reduce(kind: SpanKind): Promise<void> {
    this.#stage = kind.name;
    let parts = kind.parts(this.#best);
    for (let size = parts.length; size >= 1; size = size > 1 ? size >> 1 : 0) {
      for (let end = parts.length; end > 0; ) {
        const chunk = parts.slice(Math.max(0, end - size), end);
        const candidate = kind.without(this.#best, new Set(chunk));
        if (await this.attempt(candidate)) {
          const before = parts.slice(0, Math.max(0, end - size));
          const left = new Set(kind.parts(this.#best));
          parts = parts.filter((part) => left.has(part));
          end = before.filter((part) => left.has(part)).length;
        } else end -= size;
      }
    }
  }

  /** Has rules act on the first of what they select. */
  async #advanceRules(): Promise<void> {
    this.#stage = 'what fault rules hit';
    for (const make of [earlierRules, earlierPcieRules])
      for (const candidate of make(this.#best)) if (await this.attempt(candidate)) return await this.#advanceRules();
  }

  async #renumber(): Promise<void> {
    this.#stage = 'numbers';
    for (const candidate of renumbered(this.#best)) if (await this.attempt(candidate)) return await this.#renumber();
  }

  /** Makes values simpler: the simplest that still fails takes the place of each. */
  async #lower(): Promise<void> {
    this.#stage = 'values';
    for (const candidate of hastened(this.#best)) if (await this.attempt(candidate)) break;
    for (let found = true; found; ) {
      found = false;
      for (const candidate of togetherLowered(this.#best)) found ||= await this.attempt(candidate);
    }
    for (let i = 0; ; i++) {
      const all = loweringsOf(this.#best);
      const lowering = all[i];
      if (lowering === undefined) return;
      await this.#lowerOne(lowering);
    }
  }

  async #lowerOne(lowering: Lowering): Promise<void> {
    for (const value of lowering.values) if (await this.attempt(lowered(this.#best, lowering, value))) return;
  }

  get #size(): number {
    return JSON.stringify(this.#best).length;
  }

  get #seconds(): number {
    return (performance.now() - this.#began) / 1000;
  }

  async #pause(): Promise<void> {
    const { budget, stop, progress } = this.#options;
    progress?.({ runs: this.#runs, steps: stepsOf(this.#best).length, stage: this.#stage });
    if (this.#runs >= budget.runs) throw new Ended(`after ${budget.runs} runs`);
    if (this.#seconds >= budget.seconds) throw new Ended(`after ${budget.seconds} s`);
    const why = await stop?.();
    if (why !== undefined) throw new Ended(why);
  }

  async #untilEnded(work: () => Promise<void>): Promise<string> {
    try {
      await work();
      return '';
    } catch (error) {
      if (error instanceof Ended) return error.message;
      throw error;
    }
  }
}
