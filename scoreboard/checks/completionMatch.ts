/** Finds the outstanding request that a completion is for. */

import { type Message, type WorkQueue, NO_MESSAGE, NO_LAST } from '../model/work.ts';
import type { WorkCompletion } from '../../agents/verbs/verbsItems.ts';

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

export class CompletionMatch {
  /** Results of `find`: the request or `NO_MESSAGE`, how it fits, and how many requests are ahead of it. */
  request: Message = NO_MESSAGE;
  match: Match = MATCH.oldest;
  ahead = 0;

  #wrId = 0;
  #wqe = 0;

  /** Looks for the request of a completion. @param queue that it stands in */
  find(queue: WorkQueue, wc: WorkCompletion): void {
    this.#wrId = wc.wrId;
    this.#wqe = wc.wqeIndex;
    this.ahead = 0;
    const first = wc.isSend === true ? firstSignalled(queue) : queue.head;
    if (first.exists && this.#names(first)) {
      this.request = first;
      this.match = MATCH.oldest;
    } else {
      this.#search(queue, first, wc.isSend);
    }
  }

  #search(queue: WorkQueue, first: Message, isSend: boolean): void {
    for (let r = queue.head; r.exists; r = r.next) {
      if (this.#names(r)) {
        this.request = r;
        this.match = isSend && !r.signalled ? MATCH.unsignalled : MATCH.later;
        return;
      }
      this.ahead++;
    }
    this.ahead = 0;
    this.request = NO_MESSAGE;
    if (this.#isLast(queue)) this.match = MATCH.duplicate;
    else if (!first.exists) this.match = MATCH.surplus;
    else {
      this.match = MATCH.unknown;
      this.request = first;
    }
  }

  #names(r: Message): boolean {
    return r.wrId === this.#wrId && (this.#wqe < 0 || r.wqe === this.#wqe);
  }

  #isLast({ lastSlot, lastWrId }: WorkQueue): boolean {
    if (lastSlot === NO_LAST || lastWrId !== this.#wrId) return false;
    return this.#wqe < 0 || lastSlot === this.#wqe;
  }
}

function firstSignalled(queue: WorkQueue): Message {
  let r = queue.head;
  while (r.exists && !r.signalled) r = r.next;
  return r;
}
