import { QP_TYPE } from '../../../rdma/verbs.ts';
import { type Proc, delay } from '../../../uvm/kernel/process.ts';
import type { SimTime } from '../../../uvm/kernel/scheduler.ts';
import { US } from '../../../uvm/kernel/time.ts';
import type { Cq } from '../../../env/verbs/verbsObjects.ts';
import type { Connection } from '../../user/connection.ts';
import { onItsWay } from '../../user/onItsWay.ts';
import { oneWay, type OneWay } from '../../user/oneWay.ts';
import type { QpSide } from '../../user/qpSide.ts';
import { remake } from '../../user/remake.ts';
import { UserSequence } from '../../user/userSequence.ts';

const BYTES = 100;
const ENTRIES = 4;
/** Software leaves completions so long: what is asked for meanwhile is in the queue. */
const LAZINESS = 200 * US;
/** All requests of a round are done by then. */
const WORK = 40 * US;

/**
 * Completion queues of which the NIC is asked what it knows: an empty one, one with completions that software has not taken, one that has
 * got another size, and one that has overflowed where NICs find that (`+CQ_INDEX`). Answers are the scoreboard's to judge.
 */
export class QueriedQueues extends UserSequence {
  static readonly typeName: string = 'queried_queues';
  static readonly description: string = 'queries of completion queues: empty, filled, resized and overflowed';
  override readonly services = [QP_TYPE.rc];
  override readonly needs = { capabilities: ['queryCq'] } as const;

  override pollDelay(): SimTime {
    return LAZINESS;
  }

  override *connection(connection: Connection): Proc<void> {
    const { left, right } = connection;
    const random = this.streamOf(connection, 'psns');
    const way = yield* oneWay(left, right, BYTES);
    const { api, qp } = left;
    const usual = qp.sendCq;
    for (let i = 0; i < this.count; i++) {
      const small = yield* api.createCq(qp.process, { entries: ENTRIES });
      yield* api.queryCq(small);
      yield* remake(connection, [{ sendCq: small }, {}], random);
      yield* this.#writes(way, small, ENTRIES - 1);
      if (api.capabilities.resizeCq) {
        yield* api.resizeCq(small, 2 * ENTRIES);
        yield* api.queryCq(small);
      }
      if (this.values.CQ_INDEX > 0) yield* this.#writes(way, small, small.entries + 2);
      yield* delay(LAZINESS + WORK);
      yield* remake(connection, [{ sendCq: usual }, {}], random);
      yield* api.destroyCq(small);
    }
  }

  /** @param count of requests, whose completions software has not taken when the NIC is asked */
  *#writes({ from, source, target }: OneWay, cq: Cq, count: number): Proc<void> {
    const taker = this.run.processes.spawn('taker', takeAll(from), { daemon: true });
    for (let i = 0; i < count; i++) yield* from.write(source, target);
    yield* from.api.queryCq(cq);
    yield* delay(WORK + onItsWay(this.values, count * BYTES));
    yield* from.api.queryCq(cq);
    yield* delay(LAZINESS + WORK);
    taker.kill();
  }
}

/** Takes completions as they come, whatever they say. */
function* takeAll(side: QpSide): Proc<void> {
  for (;;) (yield* side.sent()).expected();
}
