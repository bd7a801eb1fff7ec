import { QP_STATE, WC_STATUS } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import { US } from '../../../uvm/kernel/time.ts';
import { drain } from '../../user/changeDrained.ts';
import type { Connection } from '../../user/connection.ts';
import { exchange, nextLife } from '../../user/nextLife.ts';
import { type OneWay, oneWay } from '../../user/oneWay.ts';
import { onItsWay } from '../../user/onItsWay.ts';
import { UserSequence } from '../../user/userSequence.ts';

/** Fits in a datagram at any MTU. */
const BYTES = 200;
const WAITING = 2;
const REST = 100 * US;
/** Requests of a connection that may be on their way. */
const ON_THE_WAY = 4;

/** What waits in SQD, and where the queue pair goes from there. */
const CASES = [
  { to: QP_STATE.reset, receives: 0, sends: 0 },
  { to: QP_STATE.reset, receives: WAITING, sends: 0 },
  { to: QP_STATE.reset, receives: WAITING, sends: WAITING },
  { to: QP_STATE.reset, receives: WAITING, sends: 0, sentTo: true },
  { to: QP_STATE.err, receives: 0, sends: 0 },
  { to: QP_STATE.err, receives: WAITING, sends: 0 },
  { to: QP_STATE.err, receives: WAITING, sends: WAITING },
  { to: QP_STATE.rts, receives: WAITING, sends: 0 },
] as const;

/**
 * Queue pairs that leave SQD for RESET, where what waits is gone without a completion, for ERR, where it is flushed, and for
 * RTS, with nothing waiting, with receives, and with requests, also while a message comes in (roce-transport.md 6.2, 6.4).
 */
export class SqdExits extends UserSequence {
  static readonly typeName: string = 'sqd_exits';
  static readonly description: string =
    'queue pairs that go from SQD to RESET, ERR and RTS with work waiting; +SEQ_COUNT=8 plays all cases';
  override readonly needs = { capabilities: ['sqd'] } as const;

  override *connection(connection: Connection): Proc<void> {
    const { left, right, index } = connection;
    const random = this.streamOf(connection, 'psns');
    const there = yield* oneWay(left, right, BYTES);
    const back = yield* oneWay(right, left, BYTES);
    for (let i = 0; i < this.count; i++) {
      yield* this.#leave(there, back, CASES[(index + i) % CASES.length] as Case);
      yield* nextLife(connection, this.#rest, random);
      yield* exchange(this, there);
      yield* exchange(this, back);
    }
  }

  *#leave({ from: side, source }: OneWay, back: OneWay, { to, receives, sends, ...rest }: Case): Proc<void> {
    yield* drain(side);
    for (let i = 0; i < receives; i++) yield* side.receive(back.sink);
    for (let i = 0; i < sends; i++) yield* side.send(source);
    // Its peer waits for an answer that may not come: what it has sent is forgotten with its next life.
    if ('sentTo' in rest) yield* back.from.send(back.source);
    yield* side.api.modifyQp(side.qp, { state: to });
    if (to !== QP_STATE.err) return;
    for (let i = 0; i < sends; i++)
      this.expectStatus(yield* side.sent(), WC_STATUS.wrFlushErr, 'SEND that waited in SQD');
    for (let i = 0; i < receives; i++)
      this.expectStatus(yield* side.received(), WC_STATUS.wrFlushErr, 'receive of SQD -> ERR');
  }

  get #rest(): number {
    return REST + onItsWay(this.values, this.connections.length * ON_THE_WAY * BYTES);
  }
}

type Case = (typeof CASES)[number];
