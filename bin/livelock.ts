/** Ends runs that have failed already and go nowhere any more: retries and timers can keep time passing for ever. */

import { formatTime, SEC } from '../uvm/kernel/time.ts';

/** Simulated time without progress after which a failed run is given up at the earliest (ps). */
const PATIENCE = SEC;
/** Errors without progress after which it is given up at once: whoever repeats the same event would only fill the log. */
const FLOOD = 10_000;

/** Watches the counters of a run. Judges simulated time only, so that a run ends at the same point on every machine. */
export class LivelockWatch {
  readonly #patience: number;
  #progress = '';
  #since = 0;
  #errorsThen = 0;

  /** @param stallTime of the scoreboard (ps), which is waited for twice */
  constructor(stallTime: number) {
    this.#patience = Math.max(PATIENCE, 2 * stallTime);
  }

  /**
   * Looks at a run.
   * @param now simulated time in ps
   * @param errors errors counted so far
   * @param counts what the test counts; without counters nothing can be said
   * @returns why the run is to be ended; undefined = let it go on
   */
  look(now: number, errors: number, counts: Readonly<Record<string, number>>): string | undefined {
    this.#since = errors === 0 ? now : this.#since;
    if (errors === 0) return undefined;
    const progress = Object.values(counts).join(' ');
    if (progress !== this.#progress) {
      this.#progress = progress;
      this.#since = now;
      this.#errorsThen = errors;
    }
    const isFlood = errors - this.#errorsThen > FLOOD;
    if (progress === '' || (now - this.#since < this.#patience && !isFlood)) return undefined;
    const counted = `${errors} ${errors === 1 ? 'error' : 'errors'}`;
    const since = formatTime(this.#since);
    return `nothing has been completed or checked since ${since}, after ${counted}: the run is given up`;
  }
}
