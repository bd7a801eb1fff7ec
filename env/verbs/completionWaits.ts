/** Lets processes wait for completions and events of a host, and wakes them. */

import type { AsyncEventItem } from '../../agents/verbs/verbsItems.ts';
import { ASYNC_EVENT } from '../../rdma/verbs.ts';
import { Event } from '../../uvm/kernel/event.ts';
import { Mailbox } from '../../uvm/kernel/mailbox.ts';
import type { Proc } from '../../uvm/kernel/process.ts';
import type { CompletionTaker } from './hostApi.ts';
import type { DeviceLife } from './deviceLife.ts';
import { CompletionTaking } from './completionTaking.ts';
import { Drains } from './drains.ts';
import { ReadyQueues } from './readyQueues.ts';
import type { Cq } from './verbsObjects.ts';

export class CompletionWaits {
  readonly #life: DeviceLife;
  readonly drains = new Drains();
  readonly #ready = new ReadyQueues();
  readonly #any: Event<void>;
  readonly #perCq = new Map<Cq, Event<void>>();
  readonly #events: Mailbox<Cq | null>;
  readonly #asyncEvents: Mailbox<AsyncEventItem | null>;
  readonly #taking: CompletionTaking;

  /** @param life of the device: with its end every wait ends */
  constructor(host: number, life: DeviceLife) {
    this.#life = life;
    this.#taking = new CompletionTaking(`completions on host ${host}`);
    this.#any = new Event<void>(`completion on host ${host}`);
    this.#events = new Mailbox<Cq | null>(Infinity, `completion events of host ${host}`);
    this.#asyncEvents = new Mailbox<AsyncEventItem | null>(Infinity, `asynchronous events of host ${host}`);
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

  /** The device is gone: wakes all who wait, for whom there is nothing but the error. What is ready is so no more. */
  deviceFatal(): void {
    this.drains.endAll();
    while (this.#events.size > 0) this.#events.tryGet();
    while (this.#events.getting > 0) this.#events.tryPut(null);
    // Who waits for such an event gets the one that tells of this first.
    while (this.#asyncEvents.getting > 0) this.#asyncEvents.tryPut(null);
    this.#any.trigger();
    for (const event of this.#perCq.values()) event.trigger();
    this.#taking.end();
  }

  *waitEvent(): Proc<Cq> {
    this.#life.check();
    const cq = yield* this.#events.get();
    if (cq === null) this.#life.check();
    return cq as Cq;
  }

  /** What has come may be taken when the device is gone, too: last the event that says so. */
  *waitAsyncEvent(): Proc<AsyncEventItem> {
    if (this.#asyncEvents.size === 0) this.#life.check();
    const item = yield* this.#asyncEvents.get();
    if (item === null) this.#life.check();
    return item as AsyncEventItem;
  }

  *waitAny(): Proc<Cq> {
    for (;;) {
      this.#life.check();
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
      this.#life.check();
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
      while (cq.produced === cq.consumed) {
        yield* event.wait();
        this.#life.check();
      }
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
