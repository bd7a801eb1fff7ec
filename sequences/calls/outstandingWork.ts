/** Requests that have been posted and whose completions software has not taken, by the names of their queue pairs. */

import { Event } from '../../uvm/kernel/event.ts';
import type { Proc } from '../../uvm/kernel/process.ts';
import { hostOf } from './boundObjects.ts';

export type QueueName = 'send' | 'receive';

export class OutstandingWork {
  /** By queue: how often each id is outstanding. */
  readonly #queues = new Map<string, Map<number, number>>();
  /** Shared receive queue of each queue pair that has one. */
  readonly #shared = new Map<string, string>();
  readonly #taken = new Event<void>('completions of the scenario');

  /** A queue pair takes its receives from a shared queue: its receives are posted under that name. */
  share(qp: string, srq: string): void {
    this.#shared.set(qp, srq);
  }

  posted(qp: string, queue: QueueName, ids: readonly number[]): void {
    const open = this.#open(qp, queue);
    for (const id of ids) open.set(id, (open.get(id) ?? 0) + 1);
  }

  taken(qp: string, queue: QueueName, id: number): void {
    const open = this.#open(qp, queue);
    const count = open.get(id) ?? 0;
    if (count > 1) open.set(id, count - 1);
    else open.delete(id);
    this.#taken.trigger();
  }

  /** What a queue pair had is discarded: of a shared queue something, of which it is not known what. */
  forget(qp: string): void {
    for (const queue of ['send', 'receive'] as const) this.#open(qp, queue).clear();
    this.#taken.trigger();
  }

  /** The device of a host is gone, and all that its queue pairs had. */
  forgetHost(host: number): void {
    for (const [name, open] of this.#queues) if (hostOf(name) === host) open.clear();
    this.#taken.trigger();
  }

  /** Waits for the completion of a request; returns at once for one that is not outstanding. */
  *waitFor(qp: string, queue: QueueName, id: number): Proc<void> {
    while (this.#open(qp, queue).has(id)) yield* this.#taken.wait();
  }

  /** Waits for all completions of a host. */
  *waitForAll(host: number): Proc<void> {
    while (this.#isBusy(host)) yield* this.#taken.wait();
  }

  #isBusy(host: number): boolean {
    for (const [name, open] of this.#queues) if (open.size > 0 && hostOf(name) === host) return true;
    return false;
  }

  #open(qp: string, queue: QueueName): Map<number, number> {
    const name = `${queue === 'receive' ? (this.#shared.get(qp) ?? qp) : qp} ${queue}`;
    let open = this.#queues.get(name);
    if (open === undefined) {
      open = new Map();
      this.#queues.set(name, open);
    }
    return open;
  }
}
