/** Lets processes wait for completions and events of a host, and wakes them. */

import type { AsyncEventItem } from '../../agents/verbs/verbsItems.ts';
import { ASYNC_EVENT } from '../../rdma/verbs.ts';
import { Event } from '../../uvm/kernel/event.ts';
import { Mailbox } from '../../uvm/kernel/mailbox.ts';
import type { Proc } from '../../uvm/kernel/process.ts';
import type { CompletionTaker } from './hostApi.ts';
import { CompletionTaking } from './completionTaking.ts';
import { Drains } from './drains.ts';
import { ReadyQueues } from './readyQueues.ts';
import type { Cq } from './verbsObjects.ts';

export class CompletionWaits {
  readonly drains = new Drains();
  readonly #ready = new ReadyQueues();
  readonly #any: Event<void>;
  readonly #perCq = new Map<Cq, Event<void>>();
  readonly #events: Mailbox<Cq>;
  readonly #asyncEvents: Mailbox<AsyncEventItem>;
  readonly #taking: CompletionTaking;

  constructor(host: number) {
    this.#taking = new CompletionTaking(`completions on host ${host}`);
    this.#any = new Event<void>(`completion on host ${host}`);
    this.#events = new Mailbox<Cq>(Infinity, `completion events of host ${host}`);
    this.#asyncEvents = new Mailbox<AsyncEventItem>(Infinity, `asynchronous events of host ${host}`);
  }

  /** Something can be polled from the queue. */
  arrived(cq: Cq): void {
    if (this.#taking.active === true) this.#taking.arrived(cq);
    else {
      this.#ready.add(cq);
      if (this.#any.waiting > 0) this.#any.trigger();
    }
    if (cq.waiters > 0) this.#perCq.get(cq)?.trigger();
  }

  event(cq: Cq): void {
    this.#events.tryPut(cq);
  }

  asyncEvent(item: AsyncEventItem): void {
    if (item.event === ASYNC_EVENT.sqDrained) this.drains.drained(item.number);
    this.#asyncEvents.tryPut(item);
  }

  /** The device has been closed: events that nobody has taken name what is gone. */
  forget(): void {
    while (this.#events.size > 0) this.#events.tryGet();
    while (this.#asyncEvents.size > 0) this.#asyncEvents.tryGet();
  }

  waitEvent(): Proc<Cq> {
    return this.#events.get();
  }

  waitAsyncEvent(): Proc<AsyncEventItem> {
    return this.#asyncEvents.get();
  }

  *waitAny(): Proc<Cq> {
    for (;;) {
      const cq = this.#ready.next();
      if (cq !== null) return cq;
      yield* this.#any.wait();
    }
  }

  /** True while a process waits in `takeAll`. */
  get taking(): boolean {
    return this.#taking.active;
  }

  /** Lets `taker` drain what is there and what comes, until it has finished. Nobody else may be doing so. */
  *takeAll(taker: CompletionTaker): Proc<void> {
    while (!taker.finished()) {
      const cq = this.#ready.next();
      if (cq !== null) taker.drain(cq);
      else yield* this.#taking.wait(taker);
    }
  }

  *waitFor(cq: Cq): Proc<void> {
    if (cq.produced !== cq.consumed) return;
    const event = this.#eventOf(cq);
    cq.waiters++;
    try {
      while (cq.produced === cq.consumed) yield* event.wait();
    } finally {
      cq.waiters--;
      if (cq.waiters === 0) this.#perCq.delete(cq);
    }
  }

  #eventOf(cq: Cq): Event<void> {
    let event = this.#perCq.get(cq);
    if (event === undefined) {
      event = new Event<void>(`completion in CQ ${cq.cqn} of host ${cq.host}`);
      this.#perCq.set(cq, event);
    }
    return event;
  }
}
