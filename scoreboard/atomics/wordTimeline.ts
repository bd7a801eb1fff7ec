/**
 * One word that atomics name, as a run goes on: what it holds, which changes of it and which atomics no order accounts for
 * yet. Memory truth of such a word is a value, not a copy of a source.
 *
 * Where the writes of the NIC are seen, the changes say the order. They are accounted for as soon as all atomics that can
 * have made them have their answers; whether what was answered was executed at all shows when nothing is in flight. Where
 * they are not seen, an order is looked for then, and the word must hold what one of them leaves.
 */

import { minimalContradiction } from './contradiction.ts';
import { PossibleValues } from './possibleValues.ts';
import type { RunAtomic } from './runAtomic.ts';
import { serialOrder } from './serialOrder.ts';
import type { WordAtomic } from './wordAtomic.ts';
import type { Settled, WordProblem, WordStep } from './wordProblem.ts';

/** Atomics that are kept for a search where changes are not seen. */
const MOST_KEPT = 4096;
/** A search is worth its while when so many more have come since the last, or as many as there were. */
const FEW = 16;

/** Atomics with an answer that may still write a word of which something could not be accounted for. */
const MOST_FORGIVEN = 64;

/** What nothing accounts for. */
export interface Contradiction {
  /** Results that contradict each other, none of which can be left out; none where the change alone is wrong. */
  readonly results: readonly RunAtomic[];
  /** All that were answered: executed, whatever they returned. */
  readonly answered: readonly RunAtomic[];
  /** The first change that could not be accounted for; undefined where none is seen, or all were. */
  readonly step: WordStep | undefined;
  /** What the word may have held before. */
  readonly start: PossibleValues;
}

/** Who is told of findings. */
export interface WordFindings {
  contradiction(word: WordTimeline, what: Contradiction): void;
  undecided(word: WordTimeline): void;
  /** Whether an atomic can no longer be executed, nor its write come, if that has not been. */
  isOver(word: WordTimeline, atomic: RunAtomic): boolean;
  /** Nothing is in flight, and it holds something else than it may. */
  holds(word: WordTimeline, value: bigint, possible: PossibleValues): void;
}

export class WordTimeline {
  readonly host: number;
  readonly process: number;
  readonly hi: number;
  readonly lo: number;
  /** What it held at the latest moment at which that was seen. */
  value: bigint;
  /** Blocks of `OpenRanges` that atomics have open there. */
  open = 0;
  /** One of those whose request has its completion, and that stays open until nothing is in flight; -1 = none. */
  lingering = -1;
  readonly #findings: WordFindings;
  readonly #seen: boolean;
  #start: PossibleValues;
  #steps: WordStep[] = [];
  /** Sent and not accounted for, those of a queue pair in their order. */
  #atomics: RunAtomic[] = [];
  /** Writes of others that may have come, where those are not seen. */
  #writes: WordAtomic[] = [];
  #worth = FEW;
  /** The first so many steps are accounted for: an atomic may have read the word in between. */
  #passed = 0;

  /** @param value what it holds now @param seen whether each change will be told */
  constructor(
    place: { readonly host: number; readonly process: number; readonly hi: number; readonly lo: number },
    value: bigint,
    seen: boolean,
    findings: WordFindings,
  ) {
    this.host = place.host;
    this.process = place.process;
    this.hi = place.hi;
    this.lo = place.lo;
    this.value = value;
    this.#start = PossibleValues.of(value);
    this.#seen = seen;
    this.#findings = findings;
  }

  /** Whether nothing is to be accounted for. */
  get isSettled(): boolean {
    return this.#atomics.length === 0 && this.#steps.length === this.#passed && this.#writes.length === 0;
  }

  /** An atomic is on its way. */
  sent(atomic: RunAtomic): void {
    this.#atomics.push(atomic);
    if (!this.#seen && this.#atomics.length > MOST_KEPT) this.#giveUp();
  }

  /** One has an answer, or will have none. */
  answered(): void {
    if (!this.#seen) return;
    if (this.#atomics.length >= this.#worth || !this.#atomics.some(({ isAwaited }) => isAwaited)) this.#account();
  }

  /** Its bytes in memory have been written at `at`, ps. */
  written(at: number, value: bigint, by: WordStep['by']): void {
    if (value !== this.value) {
      if (this.#seen) this.#steps.push({ at, before: this.value, after: value, by });
      else this.#otherWrite(at, value);
    }
    this.value = value;
    if (this.#seen && this.#atomics.length === 0) this.#account();
  }

  /** Nothing is in flight, and it holds `value`: what was answered was executed, and what has no answer never will be. */
  quiet(value: bigint): void {
    if (this.isSettled && value === this.value) return;
    if (this.#seen && value !== this.value) this.#findings.holds(this, value, PossibleValues.of(this.value));
    const finals = this.#solve({ start: this.#start, atomics: this.#all, ...this.#changes });
    if (!this.#seen && finals !== undefined && !finals.has(value)) this.#findings.holds(this, value, finals);
    this.#restart(value);
  }

  get #all(): readonly WordAtomic[] {
    return [...this.#atomics, ...this.#writes];
  }

  get #changes(): Pick<WordProblem, 'steps' | 'passed'> {
    return this.#seen ? { steps: this.#steps, passed: this.#passed } : {};
  }

  #otherWrite(at: number, swap: bigint): void {
    // Each of them in a chain of its own: nothing orders them.
    const chain = -2 - this.#writes.length;
    const until = Number.POSITIVE_INFINITY;
    this.#writes.push({ operation: 'write', operand: 0n, swap, chain, returned: undefined, from: at, until });
  }

  /** Accounts for the changes that no atomic without an answer can have made. */
  #account(): void {
    let oldest = Number.POSITIVE_INFINITY;
    for (const atomic of this.#atomics) if (atomic.isAwaited) oldest = Math.min(oldest, atomic.from);
    const steps = this.#steps.filter(({ at }, k) => k < this.#passed || at < oldest);
    const candidates = this.#atomics.filter(({ from, isAwaited }) => !isAwaited && from < oldest);
    const problem = {
      start: this.#start,
      atomics: upToAwaited(candidates, this.#atomics),
      steps,
      passed: this.#passed,
      prefix: true,
    };
    const result = serialOrder(problem);
    if (result.found === 'order') this.#retire(result.settled);
    else if (result.found === 'undecided') this.#giveUp();
    else this.#contradicted(problem, result.explained);
    if (this.#steps.length === this.#passed) this.#forgetOver();
    this.#worth = Math.max(FEW, 2 * this.#atomics.length);
  }

  /** All changes are accounted for: what cannot be on its way any more was not executed, or is not here. */
  #forgetOver(): void {
    if (!this.#atomics.some(({ isDoubtful }) => isDoubtful)) return;
    this.#atomics = this.#atomics.filter((atomic) => !atomic.isDoubtful || !this.#findings.isOver(this, atomic));
  }

  #retire({ steps, passed, atomics }: Settled): void {
    const done = new Set<WordAtomic>(atomics);
    const last = this.#steps[steps - 1];
    if (last !== undefined) this.#start = PossibleValues.of(last.after);
    this.#steps = this.#steps.slice(steps - passed);
    this.#passed = passed;
    if (done.size > 0) this.#atomics = this.#atomics.filter((atomic) => !done.has(atomic));
    if (last === undefined) return;
    // What ended without an answer may have been executed between these changes: one that comes says what it found then.
    for (const atomic of this.#atomics) if (atomic.isDoubtful && atomic.from <= last.at) atomic.forgiven = true;
  }

  #solve(problem: WordProblem): PossibleValues | undefined {
    const result = serialOrder(problem);
    if (result.found === 'order') {
      const done = new Set<WordAtomic>(result.settled.atomics);
      this.#atomics = this.#atomics.filter((atomic) => !done.has(atomic));
      for (const atomic of result.perhaps as readonly RunAtomic[]) atomic.forgiven = true;
      return result.finals;
    }
    if (result.found === 'undecided') this.#findings.undecided(this);
    else this.#contradicted(problem, result.explained);
    return undefined;
  }

  #contradicted(problem: WordProblem, explained: number): void {
    const results = minimalContradiction(problem) as readonly RunAtomic[];
    const answered = this.#atomics.filter(({ returned }) => returned !== undefined);
    const step = problem.steps?.[explained];
    this.#findings.contradiction(this, { results, answered, step, start: problem.start });
    this.#forgive();
  }

  #giveUp(): void {
    this.#findings.undecided(this);
    this.#forgive();
    if (!this.#seen) this.#start = PossibleValues.any;
  }

  /**
   * Begins anew with what it holds. Writes of what was answered may still be on their way, those of what was not may have come
   * already: nothing is concluded from any of these.
   */
  #forgive(): void {
    for (const atomic of this.#atomics) atomic.forgiven = true;
    const answered = this.#atomics.filter(({ isAwaited }) => !isAwaited);
    const old = new Set(answered.slice(0, Math.max(0, answered.length - MOST_FORGIVEN)));
    const kept = this.#atomics.filter((atomic) => !old.has(atomic));
    this.#restart(this.value);
    this.#atomics = kept;
  }

  /** Begins anew with what it holds, and with what has no answer yet. */
  #restart(value: bigint): void {
    this.value = value;
    this.#start = PossibleValues.of(value);
    this.#steps = [];
    this.#passed = 0;
    this.#writes = [];
    this.#atomics = this.#atomics.filter(({ isAwaited }) => isAwaited);
  }
}

/** Of `some`, those of a queue pair in front of the first that waits for its answer: what comes behind is executed later. */
function upToAwaited(some: readonly RunAtomic[], all: readonly RunAtomic[]): readonly RunAtomic[] {
  const closed = new Set<number>();
  const kept = new Set(some);
  return all.filter((atomic) => {
    if (closed.has(atomic.chain)) return false;
    if (atomic.isAwaited) closed.add(atomic.chain);
    return kept.has(atomic);
  });
}
