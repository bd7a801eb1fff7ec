/** From whatever state both sides of a connection are in to a new life of it. */

import { QP_TYPE } from '../../rdma/verbs.ts';
import { type Proc, delay } from '../../uvm/kernel/process.ts';
import type { SimTime } from '../../uvm/kernel/scheduler.ts';
import type { RandomStream } from '../../uvm/random/randomStream.ts';
import type { Completion } from './completion.ts';
import type { Connection } from './connection.ts';
import type { OneWay } from './oneWay.ts';
import type { QpSide } from './qpSide.ts';
import type { UserSequence } from './userSequence.ts';
import { connectAgain, resetBoth } from './reconnection.ts';

/** @param rest in which everything that is on its way comes, ps @param random draws the first PSNs @public */
export function* nextLife({ left, right, type }: Connection, rest: SimTime, random: RandomStream): Proc<void> {
  yield* delay(rest);
  yield* resetBoth(left, right);
  yield* delay(rest);
  yield* connectAgain(left, right, random, type === QP_TYPE.ud ? { qkey: left.qp.qkey } : {});
}

/** A message of a new life. @public */
export function* exchange(sequence: UserSequence, { from, to, source, sink }: OneWay): Proc<void> {
  yield* to.receive(sink);
  yield* from.send(source);
  sequence.expectSuccess(yield* sentLast(from), 'SEND');
  sequence.expectSuccess(yield* receivedLast(to), 'receive');
}

/** The completion of the send request that was posted last; those of lives before, which may have come late, are passed over. */
function* sentLast(side: QpSide): Proc<Completion> {
  return yield* last(side.sendsPosted, () => side.sent());
}

/** The same of the receive that was posted last. */
function* receivedLast(side: QpSide): Proc<Completion> {
  return yield* last(side.recvsPosted, () => side.received());
}

function* last(posted: number, next: () => Proc<Completion>): Proc<Completion> {
  for (;;) {
    const completion = yield* next();
    if (completion.wrId === posted - 1) return completion;
    completion.expected();
  }
}
