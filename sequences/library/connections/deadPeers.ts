import { QP_STATE, QP_TYPE, WC_STATUS } from '../../../rdma/verbs.ts';
import { type Proc, delay } from '../../../uvm/kernel/process.ts';
import { US } from '../../../uvm/kernel/time.ts';
import { changeDrained } from '../../user/changeDrained.ts';
import type { Connection } from '../../user/connection.ts';
import { UserSequence } from '../../user/userSequence.ts';

/** Bytes of a request: several packets at most MTUs. */
const BYTES = 3000;
/** WRITEs during which a peer dies, their length, and when: some have been acknowledged, and not all. */
const PIECES = 8;
const PIECE = 40_000;
const HEAD_START = 8 * US;
/** Codes of ACK time-outs, 16 us to 1 ms, and numbers of retries. */
const TIMEOUTS = [2, 8] as const;
const RETRIES = [0, 7] as const;
/** Longest time-out that is waited for, 4.3 s. */
const PATIENT = 20;

/**
 * Peers that die: after a message has gone well the right queue pair is taken to ERR, and what the left one sends then
 * has no answer. It must be sent again as often as the left one was told, each time when its time-out has expired and
 * not long after that, and end with RETRY_EXC_ERR. Each connection has a time-out and a number of retries of its own; on
 * every fourth they are those of the run, and on others the peer dies while it is being written to.
 */
export class DeadPeers extends UserSequence {
  static readonly typeName: string = 'dead_peers';
  static readonly description: string = 'requests to queue pairs in ERR, with different retry counts';
  override readonly needs = { capabilities: ['sqd'] } as const;
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
    if (index % 4 === 2) {
      yield* this.#midway(connection);
      return;
    }
    yield* right.api.modifyQp(right.qp, { state: QP_STATE.err });
    if (index % 4 === 0) yield* left.send(source);
    else if (index % 4 === 1) yield* left.read(yield* left.sink(BYTES), sink);
    else yield* left.write(source, sink);
    this.expectStatus(yield* left.sent(), WC_STATUS.retryExcErr, 'request to a peer that answers nothing');
  }

  /** The peer dies when it has acknowledged a part of what is under way. */
  *#midway({ left, right }: Connection): Proc<void> {
    const source = yield* left.source(PIECE);
    const target = yield* right.sink(PIECE);
    for (let i = 0; i < PIECES; i++) yield* left.write(source, target);
    yield* delay(HEAD_START);
    yield* right.api.modifyQp(right.qp, { state: QP_STATE.err });
    for (let i = 0; i < PIECES; i++) {
      const completion = yield* left.sent();
      if (completion.status === WC_STATUS.success) continue;
      // Where many connections share the command interface, all may be over before.
      this.expectStatus(completion, WC_STATUS.retryExcErr, 'WRITE to a peer that dies');
      for (let k = i + 1; k < PIECES; k++) this.expectStatus(yield* left.sent(), WC_STATUS.wrFlushErr, 'WRITE behind');
      return;
    }
  }
}
