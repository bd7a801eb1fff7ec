import type { QueuePair } from './work.ts';

/** Fenced requests that have not been sent. Few queue pairs have any, so they take no room of every queue pair. */
export class Fences {
  /** Their numbers in order of posting, by queue pair; no list is empty. */
  readonly #unsent = new Map<QueuePair, number[]>();

  /** Whether any request of any queue pair waits. */
  get any(): boolean {
    return this.#unsent.size > 0;
  }

  /** The request `number` of `q`, counted from 0, is fenced. */
  add(q: QueuePair, number: number): void {
    const list = this.#unsent.get(q);
    if (list === undefined) this.#unsent.set(q, [number]);
    else list.push(number);
  }

  /** Whether request `number` of `q`, which is sent now, is fenced. Those in front of it are forgotten. */
  sent(q: QueuePair, number: number): boolean {
    const list = this.#unsent.get(q);
    if (list === undefined) return false;
    let last = -1;
    while (list[0] !== undefined && list[0] <= number) last = list.shift() as number;
    if (list.length === 0) this.#unsent.delete(q);
    return last === number;
  }
}
