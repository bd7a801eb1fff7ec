/** How much of a regression is played at most: a time, a number of failures. Runs that have begun are played to their end. */

import { isExcused, type JobResult } from './job.ts';

/** What a user allows. */
export interface BudgetLimits {
  /** Wall-clock time after which no run is begun, in seconds. */
  readonly maxTimeSeconds?: number | undefined;
  /** Runs that did not pass after which none is begun. */
  readonly maxFailures?: number | undefined;
}

export class Budget {
  readonly #limits: BudgetLimits;
  readonly #failed = new Set<string>();
  #finish: () => void = () => {};
  #timer: NodeJS.Timeout | undefined;
  #spent = '';

  constructor(limits: BudgetLimits) {
    this.#limits = limits;
  }

  /** The limit that was reached, as it was typed: `--max-failures 5`; '' for none. */
  get spent(): string {
    return this.#spent;
  }

  /** @param finish called once, when no further run is to be begun */
  begin(finish: () => void): void {
    this.#finish = finish;
    const { maxTimeSeconds } = this.#limits;
    if (maxTimeSeconds === undefined) return;
    // Longer than a timer of Node can be is longer than anybody waits.
    const ms = Math.min(maxTimeSeconds * 1000, 2 ** 31 - 1);
    this.#timer = setTimeout(() => this.#end(`--max-time ${maxTimeSeconds}`), ms);
  }

  /** A result; a second one of the same run counts in place of the first. */
  count(result: JobResult): void {
    if (!isExcused(result)) this.#failed.add(result.id);
    const { maxFailures } = this.#limits;
    if (maxFailures !== undefined && this.#failed.size >= maxFailures) this.#end(`--max-failures ${maxFailures}`);
  }

  /** Nothing follows. */
  end(): void {
    clearTimeout(this.#timer);
  }

  #end(limit: string): void {
    if (this.#spent !== '') return;
    this.#spent = limit;
    this.#finish();
  }
}
