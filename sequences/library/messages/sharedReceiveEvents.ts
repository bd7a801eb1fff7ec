import { aSharedReceiveQueue } from '../../../rdma/subjectParts.ts';
import { QP_STATE, QP_TYPE } from '../../../rdma/verbs.ts';
import { type Proc, delay } from '../../../uvm/kernel/process.ts';
import { US } from '../../../uvm/kernel/time.ts';
import type { Srq } from '../../../env/verbs/verbsObjects.ts';
import { ONE_QUEUE, type Sharing } from '../../host/sharing.ts';
import type { Connection } from '../../user/connection.ts';
import { resetBoth } from '../../user/reconnection.ts';
import type { QpSide } from '../../user/qpSide.ts';
import type { RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import { UserSequence } from '../../user/userSequence.ts';

const BYTES = 300;
const LONG = 200_000;
const RECEIVES = 6;
const LIMIT = 4;

/**
 * One connection after the other, whose right sides share their receives: the limit is reached exactly, passed without another
 * event, asked for again and asked of the NIC; then the right side is taken to ERR, or reset, in the middle of a message, for which
 * it has taken a receive. The connection behind it finds the others. Events are the scoreboard's to judge.
 */
export class SharedReceiveEvents extends UserSequence {
  static readonly typeName: string = 'shared_receive_events';
  static readonly description: string =
    'limits of shared receive queues, and queue pairs that fail while they hold a receive';
  override readonly services = [QP_TYPE.rc];
  override readonly needs = { capabilities: ['sharedReceives'] } as const;

  override sharing(): Sharing {
    return ONE_QUEUE;
  }

  override *body(): Proc {
    for (const connection of this.connections) {
      yield* this.#limits(connection);
      yield* this.#stops(connection);
    }
  }

  *#limits({ left, right }: Connection): Proc<void> {
    const source = yield* left.source(BYTES);
    const sinks = (yield* right.sink(BYTES * RECEIVES)).split(RECEIVES);
    const srq = right.qp.srq as Srq;
    while (srq.outstanding < RECEIVES) yield* right.receive(sinks[srq.outstanding % RECEIVES] as RegisteredBuffer);
    yield* right.api.modifySrq(srq, { limit: LIMIT });
    while (srq.outstanding > LIMIT) yield* this.#message(left, right, source);
    yield* this.quiet();
    yield* this.#expectLimit(right, srq, LIMIT);
    yield* this.#message(left, right, source);
    yield* this.quiet();
    yield* this.#expectLimit(right, srq, 0);
    yield* this.#message(left, right, source);
    yield* right.api.modifySrq(srq, { limit: 1 });
    while (srq.outstanding > 0) yield* this.#message(left, right, source);
    yield* this.quiet();
  }

  *#message(left: QpSide, right: QpSide, source: RegisteredBuffer): Proc<void> {
    yield* left.send(source);
    this.expectSuccess(yield* left.sent(), 'SEND');
    this.expectSuccess(yield* right.received(), 'receive');
  }

  *#expectLimit(right: QpSide, srq: Srq, limit: number): Proc<void> {
    const said = yield* right.api.querySrq(srq);
    if (said.limit !== limit)
      this.error('SEQ_STATUS', `QUERY_SRQ says limit ${said.limit} of a shared receive queue, and ${limit} is right`, [
        aSharedReceiveQueue(right.host, srq.srqn),
      ]);
  }

  /** The right side stops when the message has begun to arrive: to ERR on every second connection, else to RESET at once. */
  *#stops({ index, left, right }: Connection): Proc<void> {
    const source = yield* left.source(LONG);
    const sinks = (yield* right.sink(2 * LONG)).split(2);
    for (const sink of sinks) yield* right.receive(sink);
    // What becomes of the message, and of the receive that it has taken, is the scoreboard's to judge.
    const takers = [takeAll(left, 'sent'), takeAll(right, 'received')].map((taking) =>
      this.run.processes.spawn('taker', taking, { daemon: true }),
    );
    yield* left.send(source);
    yield* delay(8 * US);
    if (index % 2 === 0) {
      yield* right.api.modifyQp(right.qp, { state: QP_STATE.err });
      yield* this.quiet();
    }
    yield* resetBoth(right, left);
    yield* this.quiet();
    for (const taker of takers) taker.kill();
  }
}

/** Takes completions as they come, whatever they say. */
function* takeAll(side: QpSide, queue: 'sent' | 'received'): Proc<void> {
  for (;;) (yield* side[queue]()).expected();
}
