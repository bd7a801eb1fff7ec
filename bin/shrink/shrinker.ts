/**
 * Reduces a failing scenario as long as it fails in the same way: parts are taken out from large to small, several at
 * once before one by one; what is left is made simpler; and both again until neither does anything.
 *
 * Candidates have an order, and the first that will do is taken. Where several can be played at once, those that come next are
 * begun before it is known whether they are wanted: what is found, and in how many runs, is the same.
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

/** What a shrinker wants to know of a candidate that was played. */
type CandidateOutcome = Pick<TrialOutcome, 'signature' | 'begun' | 'leftOut'>;

/** A candidate that was played. */
export interface JudgedCandidate {
  readonly outcome: CandidateOutcome;
  /** Of one that fails as it should. */
  readonly isLegal: boolean;
}

/** Plays candidates elsewhere, several at once. */
export interface CandidateTrials {
  /** How many at once. */
  readonly width: number;
  judge(scenario: CallScenario): Promise<JudgedCandidate>;
}

/** A candidate that has not been tried. */
interface Waiting {
  readonly candidate: CallScenario;
  readonly key: string;
  /** Its place among those that were offered. */
  readonly at: number;
}

/** A candidate that will do. */
interface Found {
  readonly candidate: CallScenario;
  readonly outcome: CandidateOutcome;
  /** Its place among those that were offered. */
  readonly at: number;
}

/** What a shrinker works with. */
export interface ShrinkOptions {
  readonly play: (scenario: CallScenario) => TrialOutcome;
  /** Whether a scenario that fails as it should is legal; default: all are. */
  readonly isLegal?: (scenario: CallScenario, outcome: TrialOutcome) => boolean;
  /** Plays candidates in place of `play` and `isLegal`; default: one after the other in this process. */
  readonly elsewhere?: CandidateTrials | undefined;
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
    return (await this.#attemptFirst([smaller])) !== undefined;
  }

  /** @returns the place of the first candidate that becomes the best one; undefined where none does */
  async #attemptFirst(smaller: Iterable<CallScenario>): Promise<number | undefined> {
    const found = await this.#firstOf(following(this.#best, smaller));
    if (found === undefined) return undefined;
    this.#keep(found);
    await this.#tidy(found.outcome);
    return found.at;
  }

  /** The first candidate that fails in the same way and is legal. Those behind it are begun as long as others can play them. */
  async #firstOf(candidates: Iterable<CallScenario>): Promise<Found | undefined> {
    const { width } = this.#trials;
    const begun: (Waiting & { readonly judged: Promise<JudgedCandidate> })[] = [];
    const waiting = unseen(candidates, this.#seen);
    for (let next = waiting.next(); next.done !== true || begun.length > 0; ) {
      await this.#pause();
      for (; next.done !== true && begun.length < width; next = waiting.next()) {
        const judged = this.#trials.judge(next.value.candidate);
        // Nobody asks for it when one in front of it will do.
        judged.catch(() => {});
        begun.push({ ...next.value, judged });
      }
      const first = begun.shift() as (typeof begun)[number];
      this.#seen.add(first.key);
      this.#runs++;
      const { outcome, isLegal } = await first.judged;
      if (this.#willDo(outcome, isLegal)) return { candidate: first.candidate, outcome, at: first.at };
    }
    return undefined;
  }

  #willDo({ signature }: CandidateOutcome, isLegal: boolean): boolean {
    if (signature === this.#options.signature) {
      if (!isLegal) this.#illegal++;
      return isLegal;
    }
    if (signature !== '') this.#others.set(signature, (this.#others.get(signature) ?? 0) + 1);
    return false;
  }

  /** In this process, unless others do it. */
  get #trials(): CandidateTrials {
    const { elsewhere, play, isLegal, signature } = this.#options;
    if (elsewhere !== undefined) return elsewhere;
    return {
      width: 1,
      judge: (scenario) => {
        const outcome = play(scenario);
        const permitted = outcome.signature !== signature || isLegal?.(scenario, outcome) !== false;
        return Promise.resolve({ outcome, isLegal: permitted });
      },
    };
  }

  /** What was never begun, and what could not be made, has no part in the failure. */
  async #tidy({ begun, leftOut }: CandidateOutcome): Promise<void> {
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
    const found = await this.#firstOf([candidate]);
    if (found !== undefined) this.#keep(found);
    return found !== undefined;
  }

  #keep({ candidate, outcome }: Found): void {
    this.#best = candidate;
    this.#begun = outcome.begun;
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
        const at = await this.#attemptFirst(withoutChunks(kind, this.#best, parts.slice(0, end), size));
        if (at === undefined) break;
        const before = parts.slice(0, Math.max(0, end - (at + 1) * size));
        const left = new Set(kind.parts(this.#best));
        parts = parts.filter((part) => left.has(part));
        end = before.filter((part) => left.has(part)).length;
      }
    }
  }

  /** Has rules act on the first of what they select. */
  async #advanceRules(): Promise<void> {
    this.#stage = 'what fault rules hit';
    for (const make of [earlierRules, earlierPcieRules])
      if ((await this.#attemptFirst(make(this.#best))) !== undefined) return await this.#advanceRules();
  }

  async #renumber(): Promise<void> {
    this.#stage = 'numbers';
    if ((await this.#attemptFirst(renumbered(this.#best))) !== undefined) await this.#renumber();
  }

  /** Makes values simpler: the simplest that still fails takes the place of each. */
  async #lower(): Promise<void> {
    this.#stage = 'values';
    await this.#attemptFirst(hastened(this.#best));
    while ((await this.#attemptFirst(togetherLowered(this.#best))) !== undefined);
    for (let place = 0; ; ) {
      const best = this.#best;
      const left = loweringsOf(best)
        .slice(place)
        .flatMap(({ values, ...of }, i) => values.map((value) => ({ of, value, place: place + i })));
      const at = await this.#attemptFirst(loweredOnes(best, left));
      const found = at === undefined ? undefined : left[at];
      if (found === undefined) return;
      place = found.place + 1;
    }
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

/** Without the last parts, so many at once, then without those in front of them, and so on. */
function* withoutChunks(
  kind: SpanKind,
  scenario: CallScenario,
  parts: readonly unknown[],
  size: number,
): Generator<CallScenario> {
  for (let end = parts.length; end > 0; end -= size)
    yield kind.without(scenario, new Set(parts.slice(Math.max(0, end - size), end)));
}

/** With one value in the place of another. */
function* loweredOnes(
  best: CallScenario,
  values: readonly { readonly of: Pick<Lowering, 'step' | 'path'>; readonly value: unknown }[],
): Generator<CallScenario> {
  for (const { of, value } of values) yield lowered(best, of, value);
}

/** With rules that follow their queue pairs. */
function* following(best: CallScenario, candidates: Iterable<CallScenario>): Generator<CallScenario> {
  for (const candidate of candidates) yield withFollowingRules(best, candidate);
}

/** Candidates that have not been tried, with their places among all. */
function* unseen(candidates: Iterable<CallScenario>, seen: ReadonlySet<string>): Generator<Waiting, undefined> {
  const taken = new Set<string>();
  let at = -1;
  for (const candidate of candidates) {
    at++;
    const key = JSON.stringify(candidate);
    if (seen.has(key) || taken.has(key)) continue;
    taken.add(key);
    yield { candidate, key, at };
  }
}
