import { counted } from '../report/counted.ts';
import { Fifo } from './fifo.ts';
import type { Proc, Waitable, Waiter } from './wait.ts';

/**
 * A set of keys (SystemVerilog semaphore). Requests are served strictly in order: a small one does not overtake a
 * large one that came before. Keys granted to a process that is killed before it could go on are returned.
 * @public
 */
export class Semaphore {
  readonly name: string;
  #keys: number;
  readonly #requests = new Fifo<Request>();

  /**
   * @param keys number of keys at the start, default 1
   * @param name for reports
   */
  constructor(keys = 1, name = 'semaphore') {
    this.#keys = checked(keys, name);
    this.name = name;
  }

  /** Keys that nobody holds. */
  get available(): number {
    return this.#keys;
  }

  /** Requests that wait. */
  get waiting(): number {
    return this.#requests.size;
  }

  /** Takes n keys, waiting until they are there and all earlier requests are served. */
  *get(n = 1): Proc<void> {
    if (!this.tryGet(n)) yield new Request(this, this.#requests, n);
  }

  /** Takes n keys if they are there and no other request waits. */
  tryGet(n = 1): boolean {
    if (this.#requests.size > 0 || checked(n, this.name) > this.#keys) return false;
    this.#keys -= n;
    return true;
  }

  /** Returns n keys, or adds new ones. */
  put(n = 1): void {
    this.#keys += checked(n, this.name);
    this.#serve();
  }

  /** Runs `body` while holding one key; the key is returned however it ends. */
  *hold<T>(body: Proc<T>): Proc<T> {
    yield* this.get();
    try {
      return yield* body;
    } finally {
      this.put();
    }
  }

  /** State for the deadlock report. */
  describe(): string {
    return `semaphore ${this.name}: ${this.#keys} keys free, ${this.waiting} waiting`;
  }

  /** Grants what can be granted. Called again when a waiting request goes away, which may have held up others. */
  #serve(): void {
    for (;;) {
      const request = this.#requests.at(0);
      if (request === undefined || request.keys > this.#keys) return;
      this.#requests.shift();
      this.#keys -= request.keys;
      request.grant();
    }
  }
}

class Request implements Waitable {
  readonly keys: number;
  readonly #semaphore: Semaphore;
  readonly #queue: Fifo<Request>;
  #waiter: Waiter | null = null;

  constructor(semaphore: Semaphore, queue: Fifo<Request>, keys: number) {
    this.#semaphore = semaphore;
    this.#queue = queue;
    this.keys = keys;
  }

  park(waiter: Waiter): void {
    this.#waiter = waiter;
    this.#queue.push(this);
  }

  unpark(): void {
    // Putting no keys back makes the semaphore look at the requests behind this one.
    if (this.#queue.remove(this)) this.#semaphore.put(0);
  }

  abandon(): void {
    this.#semaphore.put(this.keys);
  }

  grant(): void {
    this.#waiter?.wake(undefined, this);
  }

  describe(): string {
    return `${counted(this.keys, 'key')} of ${this.#semaphore.describe()}`;
  }
}

function checked(n: number, name: string): number {
  if (!(Number.isInteger(n) && n >= 0)) throw new RangeError(`Semaphore ${name}: ${n} is not a number of keys`);
  return n;
}
