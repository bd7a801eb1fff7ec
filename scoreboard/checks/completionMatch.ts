/** Finds the outstanding request that a completion is for. */

import type { WorkCompletion } from '../../agents/verbs/verbsItems.ts';
import type { OracleState } from '../model/oracleState.ts';
import { NO_LAST, NONE } from '../model/qps.ts';
import { R_ID_HI, R_ID_LO, R_NEXT, R_STATE, R_WQE, S_SIGNALLED, upperHalf } from '../model/requests.ts';
import { INDEX_BITS } from '../../uvm/bytes/words.ts';

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
  /** Results of `find`: the request or `NONE`, how it fits, and how many requests are ahead of it. */
  request: number = NONE;
  match: Match = MATCH.oldest;
  ahead = 0;

  readonly #s: OracleState;
  #idLo = 0;
  #idHi = 0;
  #wqe = 0;

  constructor(state: OracleState) {
    this.#s = state;
  }

  /**
   * Looks for the request of a completion.
   * @param head field of the queue pair with the oldest request
   * @param last field with slot and identifier of the request that completed last
   */
  find(pair: number, head: number, last: number, wc: WorkCompletion): void {
    const q = pair & INDEX_BITS;
    const id = wc.wrId;
    this.#idLo = id | 0;
    this.#idHi = upperHalf(id);
    this.#wqe = wc.wqeIndex;
    this.ahead = 0;
    const first = wc.isSend === true ? this.#firstSignalled(q, head) : (this.#s.qps.words[q + head] as number);
    if (first !== NONE && this.#names(first)) {
      this.request = first;
      this.match = MATCH.oldest;
    } else {
      this.#search(q, head, last, first, wc.isSend);
    }
  }

  #search(q: number, head: number, last: number, first: number, isSend: boolean): void {
    const m = this.#s.requests.words;
    for (let r = this.#s.qps.words[q + head] as number; r !== NONE; r = m[r + R_NEXT] as number) {
      if (this.#names(r)) {
        this.request = r;
        this.match = isSend && ((m[r + R_STATE] as number) & S_SIGNALLED) === 0 ? MATCH.unsignalled : MATCH.later;
        return;
      }
      this.ahead++;
    }
    this.ahead = 0;
    this.request = NONE;
    if (this.#isLast(q, last)) this.match = MATCH.duplicate;
    else if (first === NONE) this.match = MATCH.surplus;
    else {
      this.match = MATCH.unknown;
      this.request = first;
    }
  }

  #firstSignalled(q: number, head: number): number {
    const m = this.#s.requests.words;
    let r = this.#s.qps.words[q + head] as number;
    while (r !== NONE && ((m[r + R_STATE] as number) & S_SIGNALLED) === 0) r = m[r + R_NEXT] as number;
    return r;
  }

  #names(request: number): boolean {
    const r = request & INDEX_BITS;
    const m = this.#s.requests.words;
    if (m[r + R_ID_LO] !== this.#idLo || m[r + R_ID_HI] !== this.#idHi) return false;
    return this.#wqe < 0 || m[r + R_WQE] === this.#wqe;
  }

  #isLast(q: number, last: number): boolean {
    const w = this.#s.qps.words;
    if (w[q + last] === NO_LAST || w[q + last + 1] !== this.#idLo || w[q + last + 2] !== this.#idHi) return false;
    return this.#wqe < 0 || w[q + last] === this.#wqe;
  }
}
