import { QP_TYPE, WC_STATUS } from '../../../rdma/verbs.ts';
import { type Proc, delay } from '../../../uvm/kernel/process.ts';
import { RNR_TIMER_PS } from '../../../rdma/timers.ts';
import { changeDrained } from '../../user/changeDrained.ts';
import type { Connection } from '../../user/connection.ts';
import { UserSequence } from '../../user/userSequence.ts';

const BYTES = 200;
/** Shortest and longest time that the receiver asks for, as codes: 10 us and 0.64 ms. */
const SHORTEST = 1;
const LONGEST = 12;
const REFUSALS = 3;
const MOST_RETRIES = 4;

/**
 * A sender that was refused for want of a receive, and had the patience to wait, is given less of it, and its receiver
 * another time to ask for: what counts from then on is the new number of retries, and the new time.
 */
export class ChangedPatience extends UserSequence {
  static readonly typeName: string = 'changed_patience';
  static readonly description: string = 'RNR retries and times that change between refusals';
  override readonly needs = { capabilities: ['sqd', 'naks'] } as const;
  override readonly services = [QP_TYPE.rc];

  override *connection(connection: Connection): Proc<void> {
    const { left, right } = connection;
    const random = this.streamOf(connection, 'patience');
    const source = yield* left.source(BYTES);
    const sink = yield* right.sink(BYTES);
    yield* changeDrained(right, { minRnrTimer: random.range(SHORTEST, LONGEST) });
    yield* changeDrained(left, { rnrRetry: 7 });
    yield* left.send(source);
    yield* delay(REFUSALS * (RNR_TIMER_PS[right.qp.minRnrTimer] as number));
    yield* right.receive(sink);
    this.expectSuccess(yield* left.sent(), 'SEND that was refused');
    this.expectSuccess(yield* right.received(), 'receive');

    yield* changeDrained(right, { minRnrTimer: random.range(SHORTEST, LONGEST) });
    yield* changeDrained(left, { rnrRetry: random.range(0, MOST_RETRIES) });
    yield* left.send(source);
    this.expectStatus(yield* left.sent(), WC_STATUS.rnrRetryExcErr, 'SEND without a receive');
  }
}
