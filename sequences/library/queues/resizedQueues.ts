import type { HostApi } from '../../../env/verbs/hostApi.ts';
import type { Cq } from '../../../env/verbs/verbsObjects.ts';
import { type Proc, delay } from '../../../uvm/kernel/process.ts';
import type { SimTime } from '../../../uvm/kernel/scheduler.ts';
import { US } from '../../../uvm/kernel/time.ts';
import { MOST_RESIZED } from '../../user/completionQueues.ts';
import type { Connection } from '../../user/connection.ts';
import type { QpSide } from '../../user/qpSide.ts';
import type { RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import { UserSequence } from '../../user/userSequence.ts';

/** Bytes of a message, and most of one direction at a time. */
const BYTES = 300;
const BURST = 16;
/** Times that every queue is resized, and the longest time between two, and between two bursts. */
const RESIZES = 4;
const LONGEST_PAUSE = 10 * US;
/** Longest time for which completions are left in their queue: some must still be there when it is resized. */
const LONGEST_WAIT = 3 * US;
/** Sizes are the first one times a power of two up to this, and no larger than the NIC's driver can resize to. */
const LARGEST = 8;
/** Rounds of traffic after which the queues are resized without. */
const MOST_ROUNDS = 200;

/**
 * Completion queues that get another size, larger and smaller, again and again, while their queue pairs send and
 * receive, and while they are armed: no completion and no event may be lost, and none may come twice. Between two sizes
 * completions are in both rings.
 */
export class ResizedQueues extends UserSequence {
  static readonly typeName: string = 'resized_queues';
  static readonly description: string = 'completion queues that are resized while they are used';
  #resizing = 0;
  /** Completions may lie in all queues until they are taken. */
  #roomy = false;

  override pollDelay(): SimTime {
    return this.#roomy ? this.random.range(0, LONGEST_WAIT) : 0;
  }

  override *body(): Proc {
    const queues = this.#queues();
    const small = queues.filter(({ cq, needed }) => Math.max(cq.entries, needed) <= MOST_RESIZED);
    const listeners = [...new Set(queues.map(({ api }) => api))].map((api) =>
      this.run.processes.spawn(`events${api.host}`, this.#listen(api), { daemon: true }),
    );
    for (const { cq, api } of queues) yield* api.armCq(cq, true);
    for (const { cq, api, needed } of small) if (cq.entries < needed) yield* api.resizeCq(cq, needed);
    this.#roomy = small.length === queues.length;
    for (const queue of small) this.#start(queue);
    yield* this.forEachConnection((c) => this.#talk(c));
    yield* this.quiet();
    for (const listener of listeners) listener.kill();
  }

  /** All completion queues. */
  #queues(): readonly Queue[] {
    const queues = new Map<Cq, Queue>();
    for (const { left, right } of this.connections)
      for (const { qp, api } of [left, right])
        for (const cq of [qp.sendCq, qp.recvCq]) {
          const { needed } = queues.get(cq) ?? { needed: 0 };
          queues.set(cq, { cq, api, needed: needed + BURST });
        }
    return [...queues.values()];
  }

  *#listen(api: HostApi): Proc<void> {
    for (;;) yield* api.armCq(yield* api.waitEvent(), this.random.chance(0.5));
  }

  #start({ cq, api }: Queue): void {
    this.#resizing++;
    this.run.processes.spawn(`resize ${api.host} ${cq.cqn}`, this.#resize(cq, api), { daemon: true });
  }

  *#resize(cq: Cq, api: HostApi): Proc<void> {
    const random = this.run.random.stream(this.fullName, `sizes of host ${api.host}`, cq.cqn);
    const first = cq.entries;
    const factors = Math.log2(Math.min(LARGEST, MOST_RESIZED / first));
    for (let i = 0; i < RESIZES; i++) {
      yield* delay(random.range(1, LONGEST_PAUSE));
      yield* api.resizeCq(cq, i === RESIZES - 1 ? first : first << random.range(0, factors));
    }
    this.#resizing--;
  }

  /** Messages in both directions, as long as queues are resized. */
  *#talk(connection: Connection): Proc<void> {
    const { left, right } = connection;
    const bytes = Math.min(BYTES, this.longest(connection));
    const ways = [yield* wayOf(left, right, bytes), yield* wayOf(right, left, bytes)];
    const random = this.streamOf(connection, 'pauses');
    for (let i = 0; i < this.count || (i < MOST_ROUNDS && this.#resizing > 0); i++) {
      yield* delay(random.range(0, LONGEST_PAUSE));
      for (const { to, sinks } of ways) for (const sink of sinks) yield* to.receive(sink);
      for (const { from, source, sinks } of ways)
        for (const _ of sinks) yield* from.send(source, { solicited: random.chance(0.5) });
      for (const { from, to, sinks } of ways)
        for (const _ of sinks) {
          this.expectSuccess(yield* from.sent(), 'SEND');
          this.expectSuccess(yield* to.received(), 'receive');
        }
    }
  }
}

/** A completion queue, and the completions that can be in it at most. */
interface Queue {
  readonly cq: Cq;
  readonly api: HostApi;
  readonly needed: number;
}

/** A direction of a connection. */
interface Way {
  readonly from: QpSide;
  readonly to: QpSide;
  readonly source: RegisteredBuffer;
  readonly sinks: readonly RegisteredBuffer[];
}

function* wayOf(from: QpSide, to: QpSide, bytes: number): Proc<Way> {
  const burst = Math.min(BURST, from.qp.maxSendWr, to.qp.maxRecvWr);
  return { from, to, source: yield* from.source(bytes), sinks: (yield* to.sink(bytes * burst)).split(burst) };
}
