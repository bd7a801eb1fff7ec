import { QP_STATE, QP_TYPE, WC_STATUS } from '../../../rdma/verbs.ts';
import { type Proc, delay } from '../../../uvm/kernel/process.ts';
import { US } from '../../../uvm/kernel/time.ts';
import { changeDrained } from '../../user/changeDrained.ts';
import type { Connection } from '../../user/connection.ts';
import { UserSequence } from '../../user/userSequence.ts';

const BYTES = 3000;
/** Short patience, which is counted anew for the message that is sent again: 65 us. */
const PATIENCE = { timeout: 4, retryCnt: 2 };
/** When the message has been refused (us), later on each connection. */
const REFUSED = 4;
const SPREAD = 20;

/**
 * Peers that have refused a message for want of a receive, and go to ERR while the sender waits: it must send again, wait
 * for an answer, and give up. On every second connection a message has been received before.
 */
export class LateDeaths extends UserSequence {
  static readonly typeName: string = 'late_deaths';
  static readonly description: string = 'peers that go to ERR after an RNR NAK';
  override readonly needs = { capabilities: ['sqd', 'naks'] } as const;
  override readonly services = [QP_TYPE.rc];

  override *connection({ index, left, right }: Connection): Proc<void> {
    const [source, sink] = [yield* left.source(BYTES), yield* right.sink(BYTES)];
    if (index % 2 === 1) {
      yield* right.receive(sink);
      yield* left.send(source);
      this.expectSuccess(yield* left.sent(), 'first SEND');
      this.expectSuccess(yield* right.received(), 'first receive');
    }
    yield* changeDrained(left, PATIENCE);
    yield* left.send(source);
    yield* delay((REFUSED + (index % SPREAD)) * US);
    yield* right.api.modifyQp(right.qp, { state: QP_STATE.err });
    this.expectStatus(yield* left.sent(), WC_STATUS.retryExcErr, 'SEND to a peer that was destroyed');
  }
}
