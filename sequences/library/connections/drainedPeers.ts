import { QP_STATE, QP_TYPE, WC_STATUS } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import { drain } from '../../user/changeDrained.ts';
import type { Connection } from '../../user/connection.ts';
import type { QpSide } from '../../user/qpSide.ts';
import type { RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import { UserSequence } from '../../user/userSequence.ts';

/** Several packets at any MTU. */
const BYTES = 5000;
/** Bytes of a datagram: a packet even at the shortest path MTU. */
const SHORT = 200;
const WAITING = 20;

/**
 * Traffic to queue pairs whose send queues are drained: SQD stops what a queue pair sends, and not what it receives and
 * answers (roce-transport.md 6.2). What it has to send itself waits for RTS, or is
 * flushed in ERR.
 */
export class DrainedPeers extends UserSequence {
  static readonly typeName: string = 'drained_peers';
  static readonly description: string =
    'traffic to queue pairs in SQD, which must receive and answer it, and their transition to ERR';
  override readonly needs = { capabilities: ['sqd'] } as const;

  override *connection({ type, left, right }: Connection): Proc<void> {
    const bytes = type === QP_TYPE.ud ? SHORT : BYTES;
    const source = yield* left.source(bytes);
    const target = yield* right.sink(bytes);
    const answer = yield* right.source(bytes);
    yield* left.receive(yield* left.sink(bytes));
    yield* drain(right);
    yield* right.api.queryQp(right.qp);
    yield* right.send(answer);
    const requests = type === QP_TYPE.rc ? 3 : type === QP_TYPE.uc ? 2 : 1;
    for (let i = 0; i < this.count; i++) {
      yield* right.receive(yield* right.sink(bytes));
      if (type !== QP_TYPE.ud) yield* left.write(source, target);
      yield* left.send(source);
      if (type === QP_TYPE.rc) yield* left.read(yield* left.sink(bytes), answer);
      for (let k = 0; k < requests; k++) this.expectSuccess(yield* left.sent(), 'request to a drained queue pair');
      this.expectSuccess(yield* right.received(), 'receive');
    }
    yield* right.api.modifyQp(right.qp, { state: QP_STATE.rts });
    this.expectSuccess(yield* right.sent(), 'SEND of a queue pair that was drained');
    this.expectSuccess(yield* left.received(), 'receive');
    yield* this.#abandoned(right, answer);
  }

  /** What waits in SQD, more than a NIC has fetched, is flushed when software takes the queue pair to ERR instead. */
  *#abandoned(side: QpSide, data: RegisteredBuffer): Proc<void> {
    const waiting = Math.min(WAITING, side.qp.maxSendWr);
    yield* drain(side);
    for (let i = 0; i < waiting; i++) yield* side.send(data);
    yield* side.api.modifyQp(side.qp, { state: QP_STATE.err });
    for (let i = 0; i < waiting; i++)
      this.expectStatus(yield* side.sent(), WC_STATUS.wrFlushErr, 'SEND that waited in SQD');
  }
}
