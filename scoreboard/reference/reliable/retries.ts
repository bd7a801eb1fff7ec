/**
 * How many retries a requester has made since its latest progress (roce-transport.md 3.8): surely, and at most. What decides
 * between the two is not seen from outside: when it has dealt with an answer, and what made it send again.
 */

/** More times are not needed to show what was too much: `retry_cnt` is 7 at most. */
const MOST_TIMES = 9;
const NEVER = -1;

export class Retries {
  /** Since the progress that has arrived; -1 where its time-out may have expired just before that, and the retry was given back. */
  #least = 0;
  /** In a row to the same packet, for whatever reason: what has arrived meanwhile it may not have dealt with. */
  #most = 0;
  /** When it went back since the progress, ps, the first ones; null = it has not. There is one for every queue pair. */
  #times: number[] | null = null;
  #to = NEVER;
  /** When it went back there, ps, the first times in a row; null = it never did. */
  #toTimes: number[] | null = null;

  /** Retries that it has surely made. */
  get least(): number {
    return Math.max(0, this.#least);
  }

  /** Retries that it may have made. */
  get most(): number {
    return Math.max(this.#most, this.#least);
  }

  /** When it went back since its latest progress, ps, oldest first; the first ones. */
  get times(): readonly number[] {
    return this.#times ?? [];
  }

  /** Packet to which it went back last, whatever has come since; -1 = it never did. */
  get to(): number {
    return this.#to;
  }

  /** When it sent packet `psn` again, the one that it went back to last, ps, oldest first; the first times in a row. */
  timesTo(psn: number): readonly number[] {
    return this.#to === psn ? (this.#toTimes ?? []) : [];
  }

  /** Something new is answered. @param late its time-out may have expired just before: the first retry behind it may be that one */
  progress(late: boolean): void {
    this.#least = late ? -1 : 0;
    this.#times = null;
  }

  /**
   * It goes back to `psn` at `now`, ps.
   * @param counts it surely counts a retry: it has not waited for a receiver, and it knows of all progress that there was
   */
  another(psn: number, now: number, counts: boolean): void {
    if (counts) this.#least++;
    // The first packet apart it may have gone back to this one before it sent it at all: when the time-out of one before
    // expired, which was sent again and answered meanwhile.
    const unseen = this.#to === NEVER ? 0 : 1;
    this.#most = this.#to === psn ? this.#most + 1 : 1 + unseen;
    this.#toTimes = this.#to === psn ? this.#toTimes : null;
    this.#to = psn;
    this.#times = withTime(this.#times, now);
    this.#toTimes = withTime(this.#toTimes, now);
  }
}

function withTime(times: number[] | null, now: number): number[] {
  if (times === null) return [now];
  if (times.length < MOST_TIMES) times.push(now);
  return times;
}
