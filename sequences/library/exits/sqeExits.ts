import { QP_STATE, QP_TYPE, WC_STATUS } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import { US } from '../../../uvm/kernel/time.ts';
import type { Connection } from '../../user/connection.ts';
import { exchange, nextLife } from '../../user/nextLife.ts';
import { type OneWay, oneWay } from '../../user/oneWay.ts';
import { onItsWay } from '../../user/onItsWay.ts';
import { NO_KEY } from '../../user/memory/registeredBuffer.ts';
import { UserSequence } from '../../user/userSequence.ts';

/** Fits in a datagram at any MTU. */
const BYTES = 200;
const RECEIVES = 2;
const REST = 100 * US;
/** Requests of a connection that may be on their way. */
const ON_THE_WAY = 4;

/** What is there when a queue pair leaves SQE, and where it goes. */
const CASES = [
  { to: QP_STATE.reset, receives: 0, sends: 0, sentTo: false },
  { to: QP_STATE.reset, receives: RECEIVES, sends: 0, sentTo: true },
  { to: QP_STATE.reset, receives: 0, sends: 1, sentTo: false },
  { to: QP_STATE.err, receives: 0, sends: 0, sentTo: false },
  { to: QP_STATE.err, receives: 0, sends: 1, sentTo: false },
  { to: QP_STATE.err, receives: RECEIVES, sends: 0, sentTo: true },
  { to: QP_STATE.rts, receives: RECEIVES, sends: 0, sentTo: true },
] as const;

/**
 * Unreliable queue pairs that leave SQE for RESET, ERR and RTS: with nothing, with receives while a message comes in, and with
 * a request that has just been posted, which is flushed or gone with its queue (roce-transport.md 5.3, 6.4).
 */
export class SqeExits extends UserSequence {
  static readonly typeName: string = 'sqe_exits';
  static readonly description: string =
    'queue pairs that go from SQE to RESET, ERR and RTS with work waiting; +SEQ_COUNT=7 plays all cases';
  override readonly services = [QP_TYPE.uc, QP_TYPE.ud];

  override *connection(connection: Connection): Proc<void> {
    const { left, right, index } = connection;
    const random = this.streamOf(connection, 'psns');
    const there = yield* oneWay(left, right, BYTES);
    const back = yield* oneWay(right, left, BYTES);
    for (let i = 0; i < this.count; i++) {
      yield* left.send(there.source.withKey(NO_KEY));
      this.expectStatus(yield* left.sent(), WC_STATUS.locProtErr, 'SEND with no key for its source');
      yield* this.#leave(there, back, CASES[(index + i) % CASES.length] as Case);
      yield* nextLife(connection, this.#rest, random);
      yield* exchange(this, there);
      yield* exchange(this, back);
    }
  }

  *#leave({ from: side, source }: OneWay, back: OneWay, { to, receives, sends, sentTo }: Case): Proc<void> {
    for (let i = 0; i < receives; i++) yield* side.receive(back.sink);
    if (sentTo) yield* back.from.send(back.source);
    for (let i = 0; i < sends; i++) yield* side.send(source);
    yield* side.api.modifyQp(side.qp, { state: to });
    if (sentTo) this.expectSuccess(yield* back.from.sent(), 'SEND to a queue pair that leaves SQE');
    if (to !== QP_STATE.err) return;
    for (let i = 0; i < sends; i++)
      this.expectStatus(yield* side.sent(), WC_STATUS.wrFlushErr, 'SEND that was posted in SQE');
    // The message may have come before the queue pair went.
    for (let i = 0; i < receives; i++) (yield* side.received()).expected();
  }

  get #rest(): number {
    return REST + onItsWay(this.values, this.connections.length * ON_THE_WAY * BYTES);
  }
}

type Case = (typeof CASES)[number];
