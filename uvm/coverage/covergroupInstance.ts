/** An instance of a covergroup: its counters, and what fills them. */

import type { OnIllegal, Sampler, SamplerCounters } from './compileSampler.ts';
import type { Covergroup } from './covergroup.ts';
import type { SparseHits } from './model.ts';

/** Counts of a covergroup, by outcome of each coverpoint and by cell of each cross: shared by instances that are counted together. */
export class Counters implements SamplerCounters {
  readonly points: readonly Float64Array[];
  readonly crosses: readonly Float64Array[];
  readonly #group: Covergroup<never>;

  constructor(group: Covergroup<never>) {
    this.#group = group;
    this.points = group.points.map(({ outcomes }) => new Float64Array(outcomes));
    this.crosses = group.crosses.map(({ cells }) => new Float64Array(cells));
  }

  /** Bins that were hit, with counts. */
  hits(): SparseHits {
    const counts = new Map<number, number>();
    let first = 0;
    const add = (counted: Float64Array, size: number, binsOf: (at: number) => readonly number[]): void => {
      for (const [at, n] of counted.entries()) {
        if (n > 0) for (const bin of binsOf(at)) counts.set(first + bin, (counts.get(first + bin) ?? 0) + n);
      }
      first += size;
    };
    const { points, crosses } = this.#group;
    for (const [i, point] of points.entries()) {
      add(this.points[i] as Float64Array, point.model.bins.length, (outcome) => point.hitBy[outcome] ?? []);
    }
    for (const [i, cross] of crosses.entries()) {
      add(this.crosses[i] as Float64Array, cross.model.bins.length, (cell) => cross.hits(cell));
    }
    return [...counts].sort(([a], [b]) => a - b).flat();
  }
}

/** Made by `CoverageCollector.create`. @public */
export class CovergroupInstance<S> {
  readonly group: Covergroup<S>;
  readonly name: string;
  /** Counts one sample. Nothing is kept of it. */
  readonly sample: Sampler<S>;

  /** @param counters null: nothing is counted */
  constructor(group: Covergroup<S>, name: string, counters: Counters | null, onIllegal: OnIllegal) {
    this.group = group;
    this.name = name;
    this.sample = counters === null ? () => {} : group.sampler(counters, onIllegal);
  }
}
