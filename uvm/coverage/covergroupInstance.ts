/** An instance of a covergroup: its counters, and what fills them. */

import type { Covergroup } from './covergroup.ts';
import type { Coverpoint } from './coverpoint.ts';
import type { Cross } from './cross.ts';
import type { SparseHits } from './model.ts';

/** Told of hits of illegal bins. */
export type OnIllegal = (text: () => string) => void;

/** Counts of a covergroup, by outcome of each coverpoint and by cell of each cross: shared by instances that are counted together. */
export class Counters {
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

/** Made by `CoverageCollector.create`. */
export class CovergroupInstance<S> {
  readonly group: Covergroup<S>;
  readonly name: string;
  readonly #points: readonly PointSampler<S>[];
  readonly #crosses: readonly CrossSampler<S>[];

  constructor(group: Covergroup<S>, name: string, counters: Counters, onIllegal: OnIllegal) {
    this.group = group;
    this.name = name;
    this.#points = group.points.map(
      (point, i) =>
        new PointSampler(point, `${group.name}.${point.name}`, counters.points[i] as Float64Array, onIllegal),
    );
    this.#crosses = group.crosses.map(
      (cross, i) =>
        new CrossSampler(
          cross,
          `${group.name}.${cross.name}`,
          this.#points,
          counters.crosses[i] as Float64Array,
          onIllegal,
        ),
    );
  }

  /** Counts one sample. Nothing is kept of it. */
  sample(sample: S): void {
    const points = this.#points;
    for (let i = 0; i < points.length; i++) (points[i] as PointSampler<S>).sample(sample);
    const crosses = this.#crosses;
    for (let i = 0; i < crosses.length; i++) (crosses[i] as CrossSampler<S>).sample(sample);
  }
}

class PointSampler<S> {
  /** Of the latest sample; 0 where it was none of this coverpoint. */
  outcome = 0;
  readonly point: Coverpoint<S>;
  readonly #path: string;
  readonly #counts: Float64Array;
  readonly #onIllegal: OnIllegal;
  readonly #classes: number = 0;
  readonly #next: Uint16Array | null;
  readonly #illegal: Uint8Array | null;
  /** Of the machine. */
  #state = 0;

  constructor(point: Coverpoint<S>, path: string, counts: Float64Array, onIllegal: OnIllegal) {
    this.point = point;
    this.#path = path;
    this.#counts = counts;
    this.#onIllegal = onIllegal;
    this.#classes = point.classes.count;
    this.#next = point.machine?.next ?? null;
    this.#illegal = point.illegal;
  }

  sample(sample: S): void {
    const { iff, expression, classes } = this.point;
    if (iff !== null && !iff(sample)) {
      this.outcome = 0;
      return;
    }
    const value = expression(sample);
    let outcome = classes.of(value);
    const next = this.#next;
    if (next !== null) {
      outcome = next[this.#state * this.#classes + outcome] as number;
      this.#state = outcome;
    }
    this.outcome = outcome;
    (this.#counts[outcome] as number)++;
    const illegal = this.#illegal;
    if (illegal !== null && illegal[outcome] !== 0) this.#tell(outcome, value);
  }

  #tell(outcome: number, value: number): void {
    const { model, hitBy } = this.point;
    this.#onIllegal(() => `${this.#path} is ${value}: ${illegalNames(model.bins, hitBy[outcome] ?? [])}`);
  }
}

class CrossSampler<S> {
  readonly #cross: Cross<S>;
  readonly #path: string;
  readonly #points: readonly PointSampler<S>[];
  readonly #strides: Int32Array;
  readonly #counts: Float64Array;
  readonly #onIllegal: OnIllegal;
  readonly #illegal: Uint8Array | null;

  constructor(
    cross: Cross<S>,
    path: string,
    points: readonly PointSampler<S>[],
    counts: Float64Array,
    onIllegal: OnIllegal,
  ) {
    this.#cross = cross;
    this.#path = path;
    this.#points = cross.points.map((place) => points[place] as PointSampler<S>);
    this.#strides = Int32Array.from(cross.strides);
    this.#counts = counts;
    this.#onIllegal = onIllegal;
    this.#illegal = cross.illegal;
  }

  sample(sample: S): void {
    const { iff } = this.#cross;
    if (iff !== null && !iff(sample)) return;
    const points = this.#points;
    const strides = this.#strides;
    let cell = 0;
    for (let i = 0; i < points.length; i++) cell += (points[i] as PointSampler<S>).outcome * (strides[i] as number);
    (this.#counts[cell] as number)++;
    const illegal = this.#illegal;
    if (illegal !== null && illegal[cell] !== 0) this.#tell(cell);
  }

  #tell(cell: number): void {
    const { model } = this.#cross;
    const combination = this.#points.map(({ point, outcome }) => {
      const names = (point.hitBy[outcome] ?? []).map((bin) => point.model.bins[bin]?.name);
      return `${point.name} ${names.join('+')}`;
    });
    const hits = this.#cross.hits(cell);
    this.#onIllegal(() => `${this.#path} has ${combination.join(', ')}: ${illegalNames(model.bins, hits)}`);
  }
}

function illegalNames(
  bins: readonly { readonly name: string; readonly kind: string }[],
  hits: readonly number[],
): string {
  const names = hits.flatMap((bin) => (bins[bin]?.kind === 'illegal' ? [`'${bins[bin].name}'`] : []));
  return `hits illegal bin ${[...new Set(names)].join(' and ')}`;
}
