import { QP_STATE, WC_STATUS } from '../../../rdma/verbs.ts';
import { type Proc, delay } from '../../../uvm/kernel/process.ts';
import { NS } from '../../../uvm/kernel/time.ts';
import type { RandomStream } from '../../../uvm/random/randomStream.ts';
import type { Connection } from '../../user/connection.ts';
import type { QpSide } from '../../user/qpSide.ts';
import type { RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import { UserSequence } from '../../user/userSequence.ts';

const BYTES = 100;
/** Receives of a round at most, and SENDs behind each of them. */
const RECEIVES = 4;
const SENDS = 3;
/** Up to so many ns pass after a receive, or none. */
const PAUSE = 6000;

/**
 * Requests that are posted in the error state one by one, while those before them are flushed: each must be flushed, in
 * order (roce-transport.md 5.3). Software waits for all of a round, so that no later request helps the last one.
 */
export class PostedInError extends UserSequence {
  static readonly typeName: string = 'posted_in_error';
  static readonly description: string = 'requests that are posted in ERR one by one while others are flushed';

  override *connection(connection: Connection): Proc<void> {
    const { left } = connection;
    const random = this.streamOf(connection, 'rounds');
    const [source, sink] = [yield* left.source(BYTES), yield* left.sink(BYTES)];
    yield* left.receive(sink);
    yield* left.api.modifyQp(left.qp, { state: QP_STATE.err });
    this.expectStatus(yield* left.received(), WC_STATUS.wrFlushErr, 'receive');
    for (let i = 0; i < this.count; i++) yield* this.#round(left, source, sink, random);
  }

  *#round(side: QpSide, source: RegisteredBuffer, sink: RegisteredBuffer, random: RandomStream): Proc<void> {
    const { qp } = side;
    const receives = Math.min(random.range(1, RECEIVES), qp.maxRecvWr);
    let sends = 0;
    for (let i = 0; i < receives; i++) {
      yield* side.receive(sink);
      if (random.chance(0.5)) yield* delay(random.range(0, PAUSE) * NS);
      const burst = Math.min(random.range(0, SENDS), qp.maxSendWr - qp.sendOutstanding);
      for (let k = 0; k < burst; k++) yield* side.send(source);
      sends += burst;
    }
    for (let i = 0; i < receives; i++) this.expectStatus(yield* side.received(), WC_STATUS.wrFlushErr, 'receive');
    for (let i = 0; i < sends; i++) this.expectStatus(yield* side.sent(), WC_STATUS.wrFlushErr, 'SEND');
  }
}
