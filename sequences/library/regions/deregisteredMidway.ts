import { QP_TYPE } from '../../../rdma/verbs.ts';
import { type Proc, delay } from '../../../uvm/kernel/process.ts';
import { NS } from '../../../uvm/kernel/time.ts';
import type { Connection } from '../../user/connection.ts';
import { UserSequence } from '../../user/userSequence.ts';

const REQUESTS = 10;
/** Several packets at small MTUs. */
const BYTES = 2000;
const LONGEST_PAUSE = 4000;

/** Software of a side deregisters memory that its own requests name, after a pause (ps). */
type Play = (c: Connection, pause: number) => Proc<void>;

const RACES: readonly Play[] = [sourceOfWrites, targetOfReads, receives];

/**
 * Memory is deregistered while requests of its own side are outstanding, at a random moment: each of them succeeds or
 * finds its key void, and what is behind that is flushed. Then a receive loses its key before the message is sent, which
 * cannot succeed. One case for each connection; `+RC_QP_NUM=4` plays all.
 */
export class DeregisteredMidway extends UserSequence {
  static readonly typeName: string = 'deregistered_midway';
  static readonly description: string =
    'memory deregistered under the requests of its own side; +RC_QP_NUM=4 plays all cases';
  override readonly services = [QP_TYPE.rc];
  override readonly needs = { capabilities: ['naks'] } as const;

  override *connection(c: Connection): Proc<void> {
    const race = RACES[c.index % (RACES.length + 1)];
    const pause = this.streamOf(c, 'pause').range(0, LONGEST_PAUSE) * NS;
    yield* race === undefined ? this.#receiveBefore(c) : race(c, pause);
  }

  *#receiveBefore(c: Connection): Proc<void> {
    const { left, right } = c;
    const source = yield* left.source(BYTES);
    const sink = yield* right.sink(BYTES);
    yield* right.receive(sink);
    yield* right.deregister(sink);
    yield* left.send(source);
    yield* this.expectRefused(c, 'receive', 'SEND into a receive whose key is deregistered');
  }
}

function* sourceOfWrites({ left, right }: Connection, pause: number): Proc<void> {
  const source = yield* left.source(BYTES);
  const sink = yield* right.sink(BYTES);
  for (let i = 0; i < REQUESTS; i++) yield* left.write(source, sink);
  yield* delay(pause);
  yield* left.deregister(source);
  for (let i = 0; i < REQUESTS; i++) (yield* left.sent()).expected();
}

function* targetOfReads({ left, right }: Connection, pause: number): Proc<void> {
  const sink = yield* left.sink(BYTES);
  const source = yield* right.source(BYTES);
  for (let i = 0; i < REQUESTS; i++) yield* left.read(sink, source);
  yield* delay(pause);
  yield* left.deregister(sink);
  for (let i = 0; i < REQUESTS; i++) (yield* left.sent()).expected();
}

function* receives({ left, right }: Connection, pause: number): Proc<void> {
  const source = yield* left.source(BYTES);
  const sink = yield* right.sink(BYTES);
  for (let i = 0; i < REQUESTS; i++) yield* right.receive(sink);
  for (let i = 0; i < REQUESTS; i++) yield* left.send(source);
  yield* delay(pause);
  yield* right.deregister(sink);
  for (let i = 0; i < REQUESTS; i++) (yield* left.sent()).expected();
  for (let i = 0; i < REQUESTS; i++) (yield* right.received()).expected();
}
