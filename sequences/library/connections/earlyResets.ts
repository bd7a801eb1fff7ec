import { MTU_BYTES, QP_STATE, QP_TYPE } from '../../../rdma/verbs.ts';
import { type Proc, delay } from '../../../uvm/kernel/process.ts';
import { US } from '../../../uvm/kernel/time.ts';
import type { Connection } from '../../user/connection.ts';
import { onItsWay } from '../../user/onItsWay.ts';
import { type OneWay, oneWay } from '../../user/oneWay.ts';
import { drawPsns, reconnection, resetBoth, takeSteps } from '../../user/reconnection.ts';
import { UserSequence } from '../../user/userSequence.ts';

/** Fits in a datagram at any MTU. */
const BYTES = 200;
const RECEIVES = 2;
const REST = 100 * US;
/** Requests of a connection that may be on their way. */
const ON_THE_WAY = 4;

/** How far a queue pair comes before it is reset, with receives or without. */
const LIVES = [
  { state: QP_STATE.init, receives: 0, sentTo: false },
  { state: QP_STATE.init, receives: RECEIVES, sentTo: false },
  { state: QP_STATE.rtr, receives: 0, sentTo: false },
  { state: QP_STATE.rtr, receives: RECEIVES, sentTo: false },
  { state: QP_STATE.rtr, receives: RECEIVES, sentTo: true },
] as const;

/**
 * Queue pairs that are reset before they have come to RTS, from INIT and from RTR, with and without receives, and while a
 * message is on its way to them: the receives are gone without a completion, and the next life begins with none
 * (roce-transport.md 6.2, 6.4).
 */
export class EarlyResets extends UserSequence {
  static readonly typeName: string = 'early_resets';
  static readonly description: string = 'queue pairs that are reset in INIT and RTR, with receives and without';

  override *connection(connection: Connection): Proc<void> {
    const { left, right, index } = connection;
    const there = yield* oneWay(left, right, BYTES);
    for (let i = 0; i < this.count; i++) {
      for (let life = 0; life < LIVES.length; life++)
        yield* this.#life(connection, there, LIVES[(index + life) % LIVES.length] as Life);
      yield* this.#connect(connection, there);
      yield* this.#exchange(there);
    }
  }

  *#life(connection: Connection, there: OneWay, { state, receives, sentTo }: Life): Proc<void> {
    const { from, to, sink, source } = there;
    const [toFrom, toTo] = yield* this.#begin(connection, there);
    yield* takeSteps(to, toTo.slice(0, 1));
    for (let i = 0; i < receives; i++) yield* to.receive(sink);
    if (state === QP_STATE.rtr) yield* takeSteps(to, toTo.slice(1, 2));
    if (!sentTo) {
      yield* to.api.modifyQp(to.qp, { state: QP_STATE.reset });
      return;
    }
    yield* takeSteps(from, toFrom);
    yield* from.send(source);
    yield* to.api.modifyQp(to.qp, { state: QP_STATE.reset });
    // Its peer may wait for an answer that will not come: what it has sent is forgotten with it.
    yield* this.#rest();
    yield* from.api.modifyQp(from.qp, { state: QP_STATE.reset });
  }

  /** Both sides in RESET, and nothing on its way. @returns the steps of both to RTS */
  *#begin(connection: Connection, { from, to }: OneWay): Proc<[Steps, Steps]> {
    yield* resetBoth(from, to);
    yield* this.#rest();
    const [a, b] = drawPsns(this.streamOf(connection, `psns ${from.sendsPosted} ${to.recvsPosted}`));
    const mtu = MTU_BYTES[from.qp.pathMtu] as number;
    const toFrom = reconnection(from, to, { mtu, qkey: from.qp.qkey, psn: a }, b);
    return [toFrom, reconnection(to, from, { mtu, qkey: to.qp.qkey, psn: b }, a)];
  }

  *#rest(): Proc<void> {
    yield* delay(REST + onItsWay(this.values, this.connections.length * ON_THE_WAY * BYTES));
  }

  *#connect(connection: Connection, there: OneWay): Proc<void> {
    const [toFrom, toTo] = yield* this.#begin(connection, there);
    yield* takeSteps(there.to, toTo);
    yield* takeSteps(there.from, toFrom);
  }

  /** A message, for which there is the one receive of this life. */
  *#exchange({ from, to, source, sink, target }: OneWay): Proc<void> {
    yield* to.receive(sink);
    yield* from.send(source);
    this.expectSuccess(yield* from.sent(), 'SEND');
    this.expectSuccess(yield* to.received(), 'receive');
    if (from.qp.type === QP_TYPE.ud) return;
    yield* from.write(source, target);
    this.expectSuccess(yield* from.sent(), 'WRITE');
  }
}

type Life = (typeof LIVES)[number];
type Steps = ReturnType<typeof reconnection>;
