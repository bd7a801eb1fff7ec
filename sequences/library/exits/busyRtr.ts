import { MTU_BYTES, QP_STATE, QP_TYPE, WC_STATUS } from '../../../rdma/verbs.ts';
import { type Proc, delay } from '../../../uvm/kernel/process.ts';
import { US } from '../../../uvm/kernel/time.ts';
import type { Connection } from '../../user/connection.ts';
import { nextLife } from '../../user/nextLife.ts';
import { type OneWay, oneWay } from '../../user/oneWay.ts';
import { onItsWay } from '../../user/onItsWay.ts';
import { drawPsns, reconnection, resetBoth, takeSteps } from '../../user/reconnection.ts';
import { UserSequence } from '../../user/userSequence.ts';

/** Fits in a datagram at any MTU. */
const BYTES = 200;
const RECEIVES = 2;
const REST = 100 * US;
/** Requests of a connection that may be on their way. */
const ON_THE_WAY = 4;

/**
 * Queue pairs in RTR that are used as such: receives are posted there, messages of the peer are taken and answered, and they
 * leave for RTS, or for ERR, while the packets of these are on the link (roce-transport.md 6.2).
 */
export class BusyRtr extends UserSequence {
  static readonly typeName: string = 'busy_rtr';
  static readonly description: string = 'queue pairs that receive in RTR, and go to RTS and ERR during that';

  override *connection(connection: Connection): Proc<void> {
    const { left, right, index } = connection;
    const random = this.streamOf(connection, 'psns');
    const there = yield* oneWay(left, right, BYTES);
    const back = yield* oneWay(right, left, BYTES);
    for (let i = 0; i < this.count; i++) {
      const [a, b] = drawPsns(random);
      const mtu = MTU_BYTES[left.qp.pathMtu] as number;
      yield* delay(this.#rest);
      yield* resetBoth(left, right);
      yield* delay(this.#rest);
      const toRight = reconnection(right, left, { mtu, qkey: right.qp.qkey, psn: b }, a);
      yield* takeSteps(right, toRight.slice(0, 2));
      for (let k = 0; k < RECEIVES; k++) yield* right.receive(there.sink);
      yield* takeSteps(left, reconnection(left, right, { mtu, qkey: left.qp.qkey, psn: a }, b));
      yield* this.#exchange(there);
      yield* left.send(there.source);
      if ((index + i) % 2 === 0) {
        yield* takeSteps(right, toRight.slice(2));
        this.expectSuccess(yield* left.sent(), 'SEND to a queue pair that is not yet in RTS');
        this.expectSuccess(yield* right.received(), 'receive that was posted in RTR');
        yield* left.receive(back.sink);
        yield* this.#exchange(back);
      } else {
        yield* this.#toErr(connection);
        yield* nextLife(connection, this.#rest, random);
      }
    }
  }

  /** A message is on its way: it is taken before the queue pair goes, or its receive is flushed. */
  *#toErr({ left, right, type }: Connection): Proc<void> {
    yield* right.api.modifyQp(right.qp, { state: QP_STATE.err });
    (yield* right.received()).expected();
    if (type !== QP_TYPE.rc) {
      this.expectSuccess(yield* left.sent(), 'SEND of an unreliable queue pair');
      return;
    }
    // It has been acknowledged, or nobody answers any more.
    yield* delay(this.#rest);
    yield* left.api.modifyQp(left.qp, { state: QP_STATE.err });
    const completion = yield* left.sent();
    completion.expected();
    const { status } = completion;
    if (status !== WC_STATUS.success && status !== WC_STATUS.wrFlushErr)
      this.error('SEQ_STATUS', `a SEND to a queue pair that went to ERR ended with status ${status}`, [
        completion.subject,
      ]);
  }

  *#exchange({ from, to, source }: OneWay): Proc<void> {
    yield* from.send(source);
    this.expectSuccess(yield* from.sent(), 'SEND');
    this.expectSuccess(yield* to.received(), 'receive');
  }

  get #rest(): number {
    return REST + onItsWay(this.values, this.connections.length * ON_THE_WAY * BYTES);
  }
}
