/**
 * Requests of a doorbell that ask for no completion: those that succeed are done when a completion behind them comes, those that
 * fail, or are flushed, have one of their own.
 */
import { MOST_PER_DOORBELL } from '../../config/scenario/scenario.ts';
import type { WorkPlan } from '../../config/scenario/workPlan.ts';
import { WR_ID_BITS } from './bindWork.ts';

export class UnsignaledSends {
  /** Some queue pair has such requests. */
  any = false;
  /** By id of the request: it asked for none. Ids are those of `bindSends`. */
  #silent = new Uint8Array(0);
  /** By queue pair: requests of its doorbell that are known to be done. */
  #done = new Uint8Array(0);
  readonly #queuePairs: number;

  constructor(queuePairs: number) {
    this.#queuePairs = queuePairs;
  }

  /** A queue pair is given what `plan` says. @returns how many completions that asks for */
  posted(index: number, plan: WorkPlan): number {
    if (!this.any) this.#begin();
    let asked = 0;
    for (let k = 0; k < plan.count; k++) {
      const { signaled } = plan.at(k);
      this.#silent[(index << WR_ID_BITS) | k] = signaled ? 0 : 1;
      if (signaled) asked++;
    }
    this.#done[index] = 0;
    return asked;
  }

  /** Whether the request of a completion asked for one. */
  asked(wrId: number): boolean {
    return this.#silent[wrId] !== 1;
  }

  /** How many more requests are done with the completion of this one. */
  done(wrId: number): number {
    const index = wrId >> WR_ID_BITS;
    const upTo = (wrId & (MOST_PER_DOORBELL - 1)) + 1;
    const more = upTo - (this.#done[index] as number);
    this.#done[index] = upTo;
    return more;
  }

  #begin(): void {
    this.any = true;
    this.#silent = new Uint8Array(this.#queuePairs * MOST_PER_DOORBELL);
    this.#done = new Uint8Array(this.#queuePairs);
  }
}
