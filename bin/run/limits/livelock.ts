/** Ends runs that have failed already and go nowhere any more: retries and timers can keep time passing for ever. */

import { formatTime, SEC } from '../../../uvm/kernel/time.ts';
import { counted } from '../../../uvm/report/counted.ts';

/** Simulated time without progress after which a failed run is given up at the earliest (ps). */
const PATIENCE = SEC;
/**
 * Errors after which a run is given up in which meanwhile nothing was done but to check: whoever repeats the same event,
 * or completes the same request, would only fill the log.
 */
const FLOOD = 10_000;
/** Errors after which a run is given up whatever is done: a NIC may complete for ever what nobody has posted. */
const MOST_ERRORS = 1_000_000;

/** Watches the counters of a run. Judges simulated time only, so that a run ends at the same point on every machine. */
export class LivelockWatch {
  readonly #patience: number;
  #progress = '';
  #since = 0;
  /** Everything counted but the checks. */
  #done: string | undefined;
  #doneAt = 0;
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
    if (errors === 0) {
      this.#since = now;
      this.#doneAt = now;
      return undefined;
    }
    const { checks, ...others } = counts;
    const done = Object.values(others).join(' ');
    const progress = `${checks} ${done}`;
    if (progress !== this.#progress) [this.#progress, this.#since] = [progress, now];
    if (done !== this.#done) [this.#done, this.#doneAt, this.#errorsThen] = [done, now, errors];
    if (Object.keys(counts).length === 0) return undefined;
    const end = `after ${counted(errors, 'error')}: the run is given up`;
    if (now - this.#since >= this.#patience)
      return `nothing has been completed or checked since ${formatTime(this.#since)}, ${end}`;
    if (errors >= MOST_ERRORS) return end;
    if (errors - this.#errorsThen <= FLOOD) return undefined;
    return `nothing has been completed since ${formatTime(this.#doneAt)}, ${end}`;
  }
}
