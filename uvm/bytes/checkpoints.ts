/** What a transcript was at some point on the way: before event `events`, counted from 0, which happened at `time` (ps). */
export interface Checkpoint {
  readonly events: number;
  readonly time: number;
  /** As of `Transcript.digest`. */
  readonly hash: string;
}

/** Events between the first checkpoints. */
const FIRST_STEP = 64;
/** As many make every other one go. */
const MOST = 48;

/**
 * Points at which two runs can be compared, so that it is known where they part: at equal distances in events, which
 * double whenever there would be too many. So runs of any length have a few dozen, at numbers that they have in common.
 */
export class Checkpoints {
  #taken: Checkpoint[] = [];
  #step = FIRST_STEP;

  /** Those there are, the earliest first. */
  get taken(): readonly Checkpoint[] {
    return this.#taken;
  }

  /** Number of events at which the next one is to be taken. */
  get due(): number {
    return (this.#taken.length + 1) * this.#step;
  }

  /** Takes the one that is due. */
  take(time: number, hash: string): void {
    this.#taken.push({ events: this.due, time, hash });
    if (this.#taken.length < MOST) return;
    this.#taken = this.#taken.filter((_, i) => i % 2 === 1);
    this.#step *= 2;
  }
}
