import { QP_STATE, QP_TYPE, WC_STATUS } from '../../../rdma/verbs.ts';
import { type Proc, delay } from '../../../uvm/kernel/process.ts';
import { MS } from '../../../uvm/kernel/time.ts';
import { changeDrained } from '../../user/changeDrained.ts';
import type { Connection } from '../../user/connection.ts';
import { UserSequence } from '../../user/userSequence.ts';

const BYTES = 3000;
const LONG_ENOUGH = 200 * MS;

/** Requests with no time-out (code 0) to peers that are gone: nothing may be sent again, until software ends the wait. */
export class EndlessPatience extends UserSequence {
  static readonly typeName: string = 'endless_patience';
  static readonly description: string = 'requests without timeout to peers in ERR';
  override readonly needs = { capabilities: ['sqd'] } as const;
  override readonly services = [QP_TYPE.rc];

  override *connection({ left, right }: Connection): Proc<void> {
    const source = yield* left.source(BYTES);
    yield* changeDrained(left, { timeout: 0 });
    yield* right.api.modifyQp(right.qp, { state: QP_STATE.err });
    yield* left.send(source);
    yield* delay(LONG_ENOUGH);
    yield* left.api.modifyQp(left.qp, { state: QP_STATE.err });
    this.expectStatus(yield* left.sent(), WC_STATUS.wrFlushErr, 'SEND with no time-out');
  }
}
