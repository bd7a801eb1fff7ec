/**
 * Sequences of values as one deterministic machine: a state for everything that may follow from what was sampled, so
 * that a sample is one look-up however many sequences are under way.
 */

import type { SequenceStep } from './resolveBins.ts';

/** A sequence as edges between places; a sample is let through by the steps that its class is in. */
interface Edge {
  readonly step: number;
  /** Taken by samples that are not in the step. */
  readonly unless: boolean;
  readonly to: number;
}

/** More states than sequences of a sane length have together. */
const MOST_STATES = 4096;

/** The step sets of sequences are known by their place in a list that the caller keeps. */
export type StepNumber = (step: SequenceStep) => number;

/** The machine under construction: places of all sequences, of which 0 is active at every sample. */
export class TransitionNet {
  readonly edges: Edge[][] = [[]];
  /** By place: the bin that is complete there. */
  readonly completes: (number | undefined)[] = [undefined];

  add(bin: number, steps: readonly SequenceStep[], numberOf: StepNumber): void {
    let from: readonly number[] = [0];
    for (const [i, step] of steps.entries()) from = this.#repeated(from, step, numberOf(step), i === steps.length - 1);
    for (const place of from) this.completes[place] = bin;
  }

  /** @returns the places where the step is done */
  #repeated(from: readonly number[], { repetition }: SequenceStep, step: number, last: boolean): readonly number[] {
    const { how, from: least, to: most } = repetition;
    const done: number[] = [];
    let places = from;
    for (let n = 1; n <= most; n++) {
      const next = this.#place();
      const waiting = how === 'consecutive' ? places : this.#waiting(places, step);
      for (const place of waiting) this.#edge(place, step, false, next);
      places = [next];
      if (n >= least) done.push(next);
    }
    // After the last step nobody waits for more: the bin is complete with it.
    return how === 'nonConsecutive' && !last ? this.#waiting(done, step) : done;
  }

  /** The places, and one in which samples outside the step are waited out. */
  #waiting(places: readonly number[], step: number): readonly number[] {
    const wait = this.#place();
    for (const place of [...places, wait]) this.#edge(place, step, true, wait);
    return [...places, wait];
  }

  #place(): number {
    this.edges.push([]);
    this.completes.push(undefined);
    return this.edges.length - 1;
  }

  #edge(from: number, step: number, unless: boolean, to: number): void {
    this.edges[from]?.push({ step, unless, to });
  }
}

export interface TransitionMachine {
  /** `next[state * classes + class]`; state 0 is that before the first sample. */
  readonly next: Uint16Array;
  readonly states: number;
  /** By state: class of the latest sample. */
  readonly classOf: readonly number[];
  /** By state: bins that the latest sample has completed. */
  readonly completed: readonly (readonly number[])[];
}

/**
 * @param stepsOf by class: steps that its values are in
 * @throws RangeError where the sequences have too many ways to overlap
 */
export function machineOf(net: TransitionNet, stepsOf: readonly ReadonlySet<number>[]): TransitionMachine {
  const classes = stepsOf.length;
  const known = new Map<string, number>();
  const states: { readonly places: readonly number[]; readonly last: number }[] = [{ places: [0], last: 0 }];
  const rows: number[][] = [];
  for (let state = 0; state < states.length; state++) {
    const { places } = states[state] as (typeof states)[number];
    rows.push(
      stepsOf.map((inside, last) => {
        const after = followed(net, places, inside);
        const key = `${last} ${after.join()}`;
        const found = known.get(key);
        if (found !== undefined) return found;
        if (states.length === MOST_STATES)
          throw new RangeError(
            `the transitions overlap in more than ${MOST_STATES} ways; use fewer goTo and nonConsecutive steps`,
          );
        known.set(key, states.length);
        states.push({ places: after, last });
        return states.length - 1;
      }),
    );
  }
  const next = new Uint16Array(states.length * classes);
  for (const [state, row] of rows.entries()) next.set(row, state * classes);
  const completed = states.map(({ places }, i) => (i === 0 ? [] : completedIn(net, places)));
  return { next, states: states.length, classOf: states.map(({ last }) => last), completed };
}

function followed(net: TransitionNet, places: readonly number[], inside: ReadonlySet<number>): readonly number[] {
  const after = new Set([0]);
  for (const place of places) {
    for (const { step, unless, to } of net.edges[place] ?? []) if (inside.has(step) !== unless) after.add(to);
  }
  return [...after].sort((a, b) => a - b);
}

function completedIn({ completes }: TransitionNet, places: readonly number[]): readonly number[] {
  const bins = places.flatMap((place) => completes[place] ?? []);
  return [...new Set(bins)].sort((a, b) => a - b);
}
