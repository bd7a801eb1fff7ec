/** Times that were measured, and what is said of them. */

/** Of a number of times: in ps; 0 without any. */
export interface TimeSummary {
  readonly count: number;
  readonly median: number;
  readonly worst: number;
}

export class Samples {
  readonly #times: number[] = [];

  add(time: number): void {
    this.#times.push(time);
  }

  /** @param worst the longest of them, or the shortest where it is too short that is bad */
  summary(worst: 'longest' | 'shortest' = 'longest'): TimeSummary {
    const sorted = [...this.#times].sort((a, b) => a - b);
    const count = sorted.length;
    if (count === 0) return { count, median: 0, worst: 0 };
    const median = sorted[(count - 1) >> 1] as number;
    return { count, median, worst: sorted[worst === 'longest' ? count - 1 : 0] as number };
  }
}
