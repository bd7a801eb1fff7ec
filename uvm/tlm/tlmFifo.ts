import { Component } from '../base/component.ts';
import { Mailbox } from '../kernel/mailbox.ts';
import type { Proc } from '../kernel/process.ts';
import type { Run } from '../run.ts';
import { AnalysisPort } from './analysisPort.ts';
import type { GetPeek, Put } from './interfaces.ts';

/**
 * A queue between two components (1800.2 12.2.9 `uvm_tlm_fifo`): connect a put port to one side and a get port to
 * the other. Order is kept, also among processes that wait.
 * @public
 */
export class TlmFifo<T> extends Component implements Put<T>, GetPeek<T> {
  /** Items that fit; 0 means any number. */
  readonly capacity: number;
  /** Writes each item that is put. */
  readonly putAp = new AnalysisPort<T>('put_ap');
  /** Writes each item that is taken. */
  readonly getAp = new AnalysisPort<T>('get_ap');
  readonly #items: Mailbox<T>;

  /** @param capacity default 1; 0 = unbounded */
  constructor(name: string, parent: Component | Run, capacity = 1) {
    super(name, parent);
    this.capacity = capacity;
    this.#items = new Mailbox<T>(capacity === 0 ? Number.POSITIVE_INFINITY : capacity, this.fullName);
    this.run.deadlock.register('queues', () => (this.used === 0 ? [] : [this.#items.describe()]));
  }

  /** Items in the queue. */
  get used(): number {
    return this.#items.size;
  }

  get isEmpty(): boolean {
    return this.used === 0;
  }

  get isFull(): boolean {
    return this.capacity !== 0 && this.used >= this.capacity;
  }

  *put(item: T): Proc {
    yield* this.#items.put(item);
    this.putAp.write(item);
  }

  tryPut(item: T): boolean {
    const done = this.#items.tryPut(item);
    if (done) this.putAp.write(item);
    return done;
  }

  canPut(): boolean {
    return !this.isFull;
  }

  *get(): Proc<T> {
    const item = yield* this.#items.get();
    this.getAp.write(item);
    return item;
  }

  tryGet(): T | undefined {
    const item = this.#items.tryGet();
    if (item !== undefined) this.getAp.write(item);
    return item;
  }

  canGet(): boolean {
    return !this.isEmpty;
  }

  peek(): Proc<T> {
    return this.#items.peek();
  }

  tryPeek(): T | undefined {
    return this.#items.tryPeek();
  }

  canPeek(): boolean {
    return !this.isEmpty;
  }

  /** Throws away what is in the queue; an error report if somebody waits for an item, as the standard has it. */
  flush(): void {
    while (this.#items.tryGet() !== undefined);
    if (this.#items.getting > 0) this.error('TLMFIFOFLUSH', 'there are blocked gets preventing the flush');
  }
}
