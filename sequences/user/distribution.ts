/**
 * One to many: a message comes into a buffer of the first host, and goes on from there to several peers. The buffer is a credit: it is
 * received into again when the last peer has its copy. There are several, so that messages overlap.
 */
import { ACCESS } from '../../rdma/verbs.ts';
import { joinAll, type Proc, type Process } from '../../uvm/kernel/process.ts';
import { Semaphore } from '../../uvm/kernel/semaphore.ts';
import type { Connection } from './connection.ts';
import type { Completion } from './completion.ts';
import type { RegisteredBuffer } from './memory/registeredBuffer.ts';

export interface DistributionParts {
  /** The first one brings the messages, from right to left; all send them on, from left to right. Their left sides share a process. */
  readonly connections: readonly Connection[];
  readonly messages: number;
  /** Of a message. */
  readonly bytes: number;
  /** Buffers. */
  readonly credits: number;
  spawn(name: string, body: Proc<void>): Process;
  /** Each request must succeed. */
  expectSuccess(completion: Completion, what: string): void;
  /** A copy is about to be posted, or has been completed. */
  posted?(): void;
  completed?(): void;
}

/** A peer: where copies are sent from and to, by buffer. */
interface Branch {
  readonly connection: Connection;
  readonly from: readonly RegisteredBuffer[];
  readonly to: readonly RegisteredBuffer[];
}

export class Distribution {
  readonly #parts: DistributionParts;
  readonly #credits: Semaphore;
  /** Copies of each message that have been completed. */
  readonly #done: number[] = [];

  constructor(parts: DistributionParts) {
    this.#parts = parts;
    this.#credits = new Semaphore(parts.credits, 'credits of the distribution');
  }

  *run(): Proc<void> {
    const { connections, bytes, credits, spawn } = this.#parts;
    const [{ left: hub, right: feeder }] = connections as readonly [Connection];
    const slots = yield* hub.sink(bytes * credits);
    const source = (yield* feeder.source(bytes * credits)).split(credits);
    const branches: Branch[] = [];
    const regions = [];
    for (const connection of connections) {
      const { hi, lo, length } = slots;
      const { api, qp } = connection.left;
      const mr = yield* api.regMr(qp.pd, { hi, lo, length, access: ACCESS.localWrite });
      regions.push({ api, mr });
      const to = (yield* connection.right.sink(bytes * credits)).split(credits);
      branches.push({ connection, from: slots.withKey(mr.key).split(credits), to });
    }
    const work = [
      spawn('feeder', this.#feed(source, slots.split(credits))),
      spawn('fed', this.#fed()),
      spawn('hub', this.#sendOn(branches)),
      ...branches.map((branch, n) => spawn(`branch${n}`, this.#complete(branch))),
    ];
    yield* joinAll(work);
    for (const { api, mr } of regions) yield* api.deregMr(mr);
  }

  get #first(): Connection {
    return this.#parts.connections[0] as Connection;
  }

  /** A message for each buffer that is free. */
  *#feed(source: readonly RegisteredBuffer[], slots: readonly RegisteredBuffer[]): Proc<void> {
    const { messages, credits } = this.#parts;
    const { left: hub, right: feeder } = this.#first;
    for (let i = 0; i < messages; i++) {
      yield* this.#credits.get();
      yield* hub.receive(slots[i % credits] as RegisteredBuffer);
      yield* feeder.send(source[i % credits] as RegisteredBuffer);
    }
  }

  *#fed(): Proc<void> {
    for (let i = 0; i < this.#parts.messages; i++)
      this.#parts.expectSuccess(yield* this.#first.right.sent(), 'SEND to the distributor');
  }

  /** What has come goes to each peer. */
  *#sendOn(branches: readonly Branch[]): Proc<void> {
    const { messages, credits, expectSuccess, posted } = this.#parts;
    for (let i = 0; i < messages; i++) {
      expectSuccess(yield* this.#first.left.received(), 'receive of the distributor');
      for (const { connection, from, to } of branches) {
        posted?.();
        yield* connection.left.write(from[i % credits] as RegisteredBuffer, to[i % credits] as RegisteredBuffer);
      }
    }
  }

  /** The buffer is free again when the last copy of its message is completed. */
  *#complete({ connection }: Branch): Proc<void> {
    const { messages, connections, expectSuccess, completed } = this.#parts;
    for (let i = 0; i < messages; i++) {
      expectSuccess(yield* connection.left.sent(), 'copy');
      completed?.();
      this.#done[i] = (this.#done[i] ?? 0) + 1;
      if (this.#done[i] === connections.length) this.#credits.put();
    }
  }
}
