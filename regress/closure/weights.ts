/**
 * Weights of what closure may choose: how much nearer to open bins runs with a value came than runs came on average.
 *
 * A value that no run has had weighs 1. One that twice as near runs had weighs 4, one that nothing comes of a tenth:
 * nothing is given up for good, for what is open changes.
 */

import type { CoverageRun } from '../coverage/database.ts';
import type { ScoredRun } from './hitIndex.ts';

const LEAST = 0.1;
const MOST = 16;
/** Runs of average nearness that every value is thought to have had: a single run proves little. */
const DOUBT = 3;

export class Weights {
  readonly #sums = new Map<string, { score: number; runs: number }>();
  readonly #mean: number;

  /** @param featuresOf what a run is to be remembered by: its words, its template */
  constructor(scored: readonly ScoredRun[], featuresOf: (run: CoverageRun) => readonly string[]) {
    this.#mean = scored.length === 0 ? 0 : scored.reduce((sum, { score }) => sum + score, 0) / scored.length;
    for (const { run, score } of scored) for (const feature of featuresOf(run)) this.#count(feature, score);
  }

  of(feature: string): number {
    const found = this.#sums.get(feature);
    if (found === undefined || this.#mean === 0) return 1;
    const lift = (found.score / this.#mean + DOUBT) / (found.runs + DOUBT);
    return Math.min(MOST, Math.max(LEAST, lift * lift));
  }

  /** What has been learned of, the heaviest first. */
  known(): readonly (readonly [feature: string, weight: number])[] {
    const all = [...this.#sums.keys()].map((feature) => [feature, this.of(feature)] as const);
    return all.sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  }

  #count(feature: string, score: number): void {
    const sum = this.#sums.get(feature) ?? { score: 0, runs: 0 };
    sum.score += score;
    sum.runs++;
    this.#sums.set(feature, sum);
  }
}
