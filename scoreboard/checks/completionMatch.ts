/** Finds the outstanding request that a completion is for. */

import { Message, type WorkQueue, NO_LAST, type AnyRequest } from '../model/work.ts';
import type { WorkCompletion } from '../../agents/verbs/verbsItems.ts';
import { WC_STATUS } from '../../rdma/verbs.ts';

/** How a completion fits its queue. */
export const MATCH = {
  /** The oldest one that may complete. */
  oldest: 0,
  /** A younger one. */
  later: 1,
  /** A send that asked for no completion. */
  unsignalled: 2,
  /** Names none; taken for the oldest. */
  unknown: 3,
  /** The one that completed last, again. */
  duplicate: 4,
  /** Nothing is outstanding. */
  surplus: 5,
} as const;
export type Match = (typeof MATCH)[keyof typeof MATCH];

export class CompletionMatch<R extends AnyRequest & { next: R }> {
  /** Results of `find`: the request, or none, how it fits, and how many requests are ahead of it; the oldest of the queue. */
  request: R;
  oldest: R;
  match: Match = MATCH.oldest;
  ahead = 0;

  #wrId = 0;
  #wqe = 0;
  readonly #none: R;

  /** @param none of the direction */
  constructor(none: R) {
    this.#none = none;
    this.request = none;
    this.oldest = none;
  }

  /**
   * Looks for the request of a completion.
   * @param queue that it stands in
   * @param passes requests in front that asked for no completion need none: nothing has failed there
   */
  find(queue: WorkQueue<R>, wc: WorkCompletion, passes: boolean): void {
    this.#wrId = wc.wrId;
    this.#wqe = wc.wqeIndex;
    this.ahead = 0;
    this.oldest = queue.head;
    const first = passes ? firstSignalled(queue) : queue.head;
    if (first.exists && this.#names(first)) {
      this.request = first;
      this.match = MATCH.oldest;
    } else {
      this.#search(queue, first, wc.status === WC_STATUS.success, passes);
    }
  }

  /** An error completes also what asked for no completion (roce-transport.md 5.2). */
  #search(queue: WorkQueue<R>, first: R, succeeds: boolean, passes: boolean): void {
    let isNext = passes;
    for (let r: R = queue.head; r.exists; r = r.next) {
      if (this.#names(r)) {
        this.request = r;
        if (succeeds && isUnsignalled(r)) this.match = MATCH.unsignalled;
        else this.match = isNext ? MATCH.oldest : MATCH.later;
        return;
      }
      isNext &&= isUnsignalled(r);
      this.ahead++;
    }
    this.ahead = 0;
    this.request = this.#none;
    if (this.#isLast(queue)) this.match = MATCH.duplicate;
    else if (!first.exists) this.match = MATCH.surplus;
    else {
      this.match = MATCH.unknown;
      this.request = first;
    }
  }

  #names(r: AnyRequest): boolean {
    return r.wrId === this.#wrId && (this.#wqe < 0 || r.wqe === this.#wqe);
  }

  #isLast({ lastSlot, lastWrId }: WorkQueue<R>): boolean {
    if (lastSlot === NO_LAST || lastWrId !== this.#wrId) return false;
    return this.#wqe < 0 || lastSlot === this.#wqe;
  }
}

function firstSignalled<R extends AnyRequest & { next: R }>(queue: WorkQueue<R>): R {
  let r = queue.head;
  while (r.exists && isUnsignalled(r)) r = r.next;
  return r;
}

function isUnsignalled(r: AnyRequest): boolean {
  return r instanceof Message && !r.signalled;
}
