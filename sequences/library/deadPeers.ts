import { QP_STATE, QP_TYPE, WC_STATUS } from '../../rdma/verbs.ts';
import type { Proc } from '../../uvm/kernel/process.ts';
import { changeDrained } from '../user/changeDrained.ts';
import type { Connection } from '../user/connection.ts';
import { UserSequence } from '../user/userSequence.ts';

/** Bytes of a request: several packets at most MTUs. */
const BYTES = 3000;
/** Codes of ACK time-outs, 16 us to 1 ms, and numbers of retries. */
const TIMEOUTS = [2, 8] as const;
const RETRIES = [0, 7] as const;
/** Longest time-out that is waited for, 4.3 s. */
const PATIENT = 20;

/**
 * Peers that die: after a message has gone well the right queue pair is taken to ERR, and what the left one sends then
 * has no answer. It must be sent again as often as the left one was told, each time when its time-out has expired and
 * not long after that, and end with RETRY_EXC_ERR. Each connection has a time-out and a number of retries of its own; on
 * every fourth they are those of the run.
 */
export class DeadPeers extends UserSequence {
  static readonly typeName: string = 'dead_peers';
  static readonly description: string =
    'requests to queue pairs in ERR, which give up after their own number of retries';
  override readonly services = [QP_TYPE.rc];

  override *connection(connection: Connection): Proc<void> {
    const { index, left, right } = connection;
    const random = this.streamOf(connection, 'patience');
    const source = yield* left.source(BYTES);
    const sink = yield* right.sink(BYTES);
    yield* right.receive(sink);
    yield* left.send(source);
    this.expectSuccess(yield* left.sent(), 'SEND');
    this.expectSuccess(yield* right.received(), 'receive');
    const { timeout } = left.qp;
    if (index % 4 !== 3 || timeout === 0 || timeout > PATIENT)
      yield* changeDrained(left, { timeout: random.range(...TIMEOUTS), retryCnt: random.range(...RETRIES) });
    yield* right.api.modifyQp(right.qp, { state: QP_STATE.err });
    if (index % 2 === 0) yield* left.send(source);
    else yield* left.write(source, sink);
    this.expectStatus(yield* left.sent(), WC_STATUS.retryExcErr, 'request to a dead peer');
  }
}
