/** Wall-clock time in which a process was at work: not while it was stopped (Ctrl-Z, SIGSTOP), alone or with its group. */

/** What counts at most between two looks (ms): a run is looked at many times a second. */
const MOST_MS = 1000;

export class AttendedClock {
  #last: number;
  #attended = 0;

  /** @param now time at which it begins (ms of `performance.now`) */
  constructor(now: number) {
    this.#last = now;
  }

  /** Attended time so far (ms). To be called often: of what lies between two calls a second counts. */
  look(now: number): number {
    this.#attended += Math.min(now - this.#last, MOST_MS);
    this.#last = now;
    return this.#attended;
  }
}
