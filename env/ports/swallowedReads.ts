/**
 * Reads of host memory that fault rules have swallowed: no answer is under way, and nothing moves, and still the NIC is not done
 * with them before its completion time-out has passed.
 */
import type { SimTime } from '../../uvm/kernel/scheduler.ts';

export class SwallowedReads {
  readonly #timeoutOf: (host: number) => SimTime;
  /** When each is given up, ps. */
  #ends: SimTime[] = [];

  /** @param timeoutOf after which the NIC of a host gives a read up, ps; 0 = it waits for none, or for ever */
  constructor(timeoutOf: (host: number) => SimTime) {
    this.#timeoutOf = timeoutOf;
  }

  /** One that was sent at `time`, ps. */
  note(host: number, time: SimTime): void {
    this.#ends.push(time + this.#timeoutOf(host));
  }

  /** Those that are not given up at `now`, ps. */
  countAt(now: SimTime): number {
    if (this.#ends.length > 0) this.#ends = this.#ends.filter((end) => end >= now);
    return this.#ends.length;
  }
}
