/**
 * The search where every change of memory is seen. It goes forward from change to change with all states that are possible
 * there: how many operations of each queue pair are placed. What changes nothing is placed as soon as it can be, which takes
 * no choice from anybody. A state from which the next change cannot be accounted for ends; so do those in which something
 * was left out for which there is no room any more. What all states have in common that are left is settled.
 */

import { PossibleValues } from './possibleValues.ts';
import { effectOf, neverChanges, type WordAtomic } from './wordAtomic.ts';
import {
  chainsOf,
  latestOf,
  MOST_STATES,
  type Chain,
  type SearchLimits,
  type SerialOrder,
  type Settled,
  type WordProblem,
  type WordStep,
} from './wordProblem.ts';

/** An atomic may have read a word before this many writes of others that come in front of its own. */
const WRITES_BETWEEN = 16;

export function orderBySteps(problem: WordProblem, steps: readonly WordStep[], limits: SearchLimits): SerialOrder {
  return new Search(problem, steps, limits).run();
}

interface State {
  /** Operations of each chain that are placed. */
  readonly placed: readonly number[];
  readonly value: bigint;
  /** First change behind that of the latest atomic. */
  readonly base: number;
  /** States that lead here. */
  readonly parents: State[];
  /** It leads to the end. */
  lives: boolean;
}

/** The states between two changes, by what tells them apart. */
type Layer = Map<string, State>;

class Search {
  readonly #problem: WordProblem;
  readonly #steps: readonly WordStep[];
  readonly #unheard: ReadonlySet<WordAtomic> | undefined;
  readonly #most: number;
  readonly #bold: boolean;
  readonly #chains: readonly Chain[];
  /** States beyond one for each change. */
  #states = 0;

  constructor(
    problem: WordProblem,
    steps: readonly WordStep[],
    { unheard, states = MOST_STATES, bold = false }: SearchLimits,
  ) {
    this.#problem = problem;
    this.#steps = steps;
    this.#unheard = unheard;
    this.#most = states;
    this.#bold = bold;
    this.#chains = chainsOf(problem.atomics);
  }

  run(): SerialOrder {
    const first = this.#problem.passed ?? 0;
    const layers: Layer[] = [];
    let next = this.#begin(first);
    for (let step = first; ; step++) {
      const layer = this.#close(next, step);
      if (this.#states > this.#most) return { found: 'undecided' };
      if (layer.size === 0) return { found: 'none', explained: Math.max(step - 1, 0) };
      layers.push(layer);
      if (step === this.#steps.length) break;
      next = this.#pass(layer, step);
    }
    const ends = [...(layers.at(-1) as Layer).values()].filter((state) => this.#isEnd(state));
    if (ends.length === 0) return { found: 'none', explained: this.#steps.length };
    for (const end of ends) revive(end);
    const settled = this.#settled(layers, first);
    const finals = PossibleValues.of(...ends.map(({ value }) => value));
    return { found: 'order', settled, perhaps: this.#perhaps(ends, settled), finals };
  }

  #begin(first: number): State[] {
    const value = this.#steps[first]?.before ?? this.#steps[first - 1]?.after;
    const { start } = this.#problem;
    const isRight = first > 0 || value === undefined || start.has(value);
    const values = value === undefined ? (start.list ?? []) : isRight ? [value] : [];
    const placed = this.#chains.map(() => 0);
    return values.map((begins) => ({ placed, value: begins, base: 0, parents: [], lives: false }));
  }

  #isEnd({ placed }: State): boolean {
    if (this.#problem.prefix === true) return true;
    return this.#chains.every(({ must }, c) => (placed[c] as number) >= must);
  }

  /** The states in front of a change, once all has been placed that changes nothing. */
  #close(states: State[], step: number): Layer {
    const layer: Layer = new Map();
    const ends = this.#steps[step]?.at ?? Number.POSITIVE_INFINITY;
    for (let state = states.pop(); state !== undefined && this.#states <= this.#most; state = states.pop()) {
      const quiet = { ...state, placed: this.#withQuiet(state, ends) };
      const key = `${quiet.value} ${quiet.base} ${quiet.placed.join()}`;
      const known = layer.get(key);
      if (known !== undefined) {
        known.parents.push(...quiet.parents);
        continue;
      }
      layer.set(key, quiet);
      if (layer.size > 1) this.#states++;
      for (const c of this.#silent(quiet, ends)) states.push(this.#with(quiet, c, quiet.value, quiet.base));
    }
    return layer;
  }

  /** How many of each chain are placed with those that returned the value that the word has, and leave it. */
  #withQuiet({ placed: before, value }: State, ends: number): readonly number[] {
    const placed = [...before];
    let latest = latestOf(this.#chains, placed);
    for (let c = 0; c < this.#chains.length; ) {
      const next = (this.#chains[c] as Chain).atomics[placed[c] as number];
      const isQuiet = next !== undefined && next.from <= Math.min(latest, ends) && this.#isQuiet(next, value);
      if (!isQuiet) {
        c++;
        continue;
      }
      (placed[c] as number)++;
      const later = latestOf(this.#chains, placed);
      // What was too late before may have its turn now.
      if (later > latest) c = 0;
      latest = later;
    }
    return placed;
  }

  /** Whether an operation certainly leaves a word as it is, and has returned what that holds as far as is known. */
  #isQuiet(atomic: WordAtomic, value: bigint): boolean {
    if (atomic.operation === 'write') return false;
    const returned = this.#returned(atomic);
    return returned === undefined ? neverChanges(atomic) : returned === value && effectOf(atomic, value) === value;
  }

  /**
   * Chains whose next operation, of which nothing is known, may have left the word as it is, and must have been, or has
   * others behind it.
   */
  #silent({ placed, value }: State, ends: number): number[] {
    const latest = Math.min(latestOf(this.#chains, placed), ends);
    const silent: number[] = [];
    for (let c = 0; c < this.#chains.length; c++) {
      const { atomics, must } = this.#chains[c] as Chain;
      const at = placed[c] as number;
      const next = atomics[at];
      if (
        next === undefined ||
        at >= Math.max(must, atomics.length - 1) ||
        next.from > latest ||
        next.operation === 'write'
      )
        continue;
      if (this.#returned(next) === undefined && effectOf(next, value) === value) silent.push(c);
    }
    return silent;
  }

  /** The states behind a change. */
  #pass(layer: Layer, step: number): State[] {
    const { at, after, by } = this.#steps[step] as WordStep;
    const next: State[] = [];
    for (const state of layer.values()) {
      const before = next.length;
      const latest = Math.min(latestOf(this.#chains, state.placed), at);
      for (let c = 0; c < this.#chains.length; c++) {
        const atomic = (this.#chains[c] as Chain).atomics[state.placed[c] as number];
        if (atomic === undefined || atomic.operation === 'write' || atomic.from > latest) continue;
        if (by !== 'other' && this.#makes(atomic, step, state.base)) next.push(this.#with(state, c, after, step + 1));
      }
      const isMade = this.#bold && next.length > before;
      if (by !== 'atomic' && !isMade) next.push({ ...state, value: after, parents: [state] });
    }
    return next;
  }

  /** Whether an atomic can have made a change: others may have written since it read the word. */
  #makes(atomic: WordAtomic, step: number, base: number): boolean {
    const returned = this.#returned(atomic);
    const { after } = this.#steps[step] as WordStep;
    for (let k = step; k >= Math.max(base, step - WRITES_BETWEEN); k--) {
      const { before } = this.#steps[k] as WordStep;
      if ((returned === undefined || returned === before) && effectOf(atomic, before) === after) return true;
    }
    return false;
  }

  /** The state in which one more of a chain is placed. */
  #with(state: State, chain: number, value: bigint, base: number): State {
    const placed = [...state.placed];
    (placed[chain] as number)++;
    return { placed, value, base, parents: [state], lives: false };
  }

  #returned(atomic: WordAtomic): bigint | undefined {
    return this.#unheard?.has(atomic) === true ? undefined : atomic.returned;
  }

  /** The latest place where one state alone leads to an end. */
  #settled(layers: readonly Layer[], first: number): Settled {
    for (let k = layers.length - 1; k >= 0; k--) {
      const [only, ...others] = [...(layers[k] as Layer).values()].filter(({ lives }) => lives);
      if (only === undefined || others.length > 0) continue;
      const steps = first + k;
      const atomics = this.#chains.flatMap((chain, c) => chain.atomics.slice(0, only.placed[c]));
      return { steps, passed: Math.min(steps - only.base, WRITES_BETWEEN), atomics };
    }
    return { steps: first, passed: first, atomics: [] };
  }

  /** What is placed at some ends, without what is settled. */
  #perhaps(ends: readonly State[], { atomics }: Settled): readonly WordAtomic[] {
    const certain = new Set(atomics);
    return this.#chains.flatMap((chain, c) => {
      const most = Math.max(...ends.map(({ placed }) => placed[c] as number));
      return chain.atomics.slice(0, most).filter((atomic) => !certain.has(atomic));
    });
  }
}

/** A state leads to an end, and so do those that lead to it. */
function revive(end: State): void {
  const left = [end];
  for (let state = left.pop(); state !== undefined; state = left.pop()) {
    if (state.lives) continue;
    state.lives = true;
    left.push(...state.parents);
  }
}
