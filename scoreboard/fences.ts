/** Fenced requests that have not been sent. Few queue pairs have any, so they take no room of every queue pair. */

import { NONE } from './qps.ts';

/** A fenced request, and its number in order of posting. */
interface Fenced {
  readonly number: number;
  readonly request: number;
}

export class Fences {
  /** In order of posting, by queue pair; no list is empty. */
  readonly #unsent = new Map<number, Fenced[]>();

  /** Whether any request of any queue pair waits. */
  get any(): boolean {
    return this.#unsent.size > 0;
  }

  /** A fenced request was posted on `q`. */
  add(q: number, number: number, request: number): void {
    const list = this.#unsent.get(q);
    if (list === undefined) this.#unsent.set(q, [{ number, request }]);
    else list.push({ number, request });
  }

  /** Message `number` of `q` begins: the request if it is a fenced one, or `NONE`. Those in front of it are forgotten. */
  sent(q: number, number: number): number {
    const list = this.#unsent.get(q);
    let request = NONE;
    while (list?.[0] !== undefined && list[0].number <= number) {
      const first = list.shift() as Fenced;
      if (first.number === number) ({ request } = first);
    }
    if (list?.length === 0) this.#unsent.delete(q);
    return request;
  }
}
