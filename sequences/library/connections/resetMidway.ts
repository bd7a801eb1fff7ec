import { RNR_RETRY_FOR_EVER } from '../../../rdma/timers.ts';
import { QP_STATE, QP_TYPE } from '../../../rdma/verbs.ts';
import { type Proc, delay } from '../../../uvm/kernel/process.ts';
import { US } from '../../../uvm/kernel/time.ts';
import type { RandomStream } from '../../../uvm/random/randomStream.ts';
import type { Connection } from '../../user/connection.ts';
import type { QpSide } from '../../user/qpSide.ts';
import { connectAgain, resetBoth } from '../../user/reconnection.ts';
import { onItsWay } from '../../user/onItsWay.ts';
import { UserSequence } from '../../user/userSequence.ts';

/** Long enough to be under way when the queue pairs are reset, and one packet. */
const LONG = 100_000;
const SHORT = 200;
/** After which time they are reset, and for how long what is on its way may still come. */
const MIDDLE = [6, 14] as const;
const REST = 100 * US;
/** Lives of a queue pair, and how often each may try again when its peer is not ready. */
const LIVES = 4;
const RNR_RETRY = 3;
/** Code of the time that a peer asks for, 960 us, during which waits of former lives end, and when it has its receive. */
const RNR_TIMER = 13;
const LATE = 90 * US;
/** Buses that are at least so fast, and have at most so much latency. */
const FAST = { gbps: 32, tags: 8, ns: 5000 } as const;

/**
 * Queue pairs that are reset in the middle of a message, or while one waits for a peer that is not ready, and connected
 * again: the next life must begin with no message under way, with all retries, and without the old wait's end; the
 * requests of the old one complete no more. Both by turns.
 */
export class ResetMidway extends UserSequence {
  static readonly typeName: string = 'reset_midway';
  static readonly description: string = 'queue pairs that are reset during traffic and reconnected';
  override readonly services = [QP_TYPE.rc];

  override *connection(connection: Connection): Proc<void> {
    const { index, left, right } = connection;
    const random = this.streamOf(connection, 'lives');
    const waits = index % 2 === 0;
    const source = yield* left.source(LONG);
    const target = yield* right.sink(LONG);
    const sink = yield* right.sink(SHORT);
    for (let life = 0; life < LIVES; life++) {
      if (waits) yield* left.send(source.part(0, SHORT));
      else yield* left.write(source, target);
      yield* delay(random.range(...MIDDLE) * US);
      if (waits) yield* resetBoth(left, right);
      else yield* this.#part(left, right);
      yield* this.#connect(left, right, random);
    }
    if (!waits) yield* right.receive(sink);
    yield* left.send(source.part(0, SHORT));
    if (waits) {
      yield* delay(LATE);
      yield* right.receive(sink);
    }
    this.expectSuccess(yield* left.sent(), 'SEND of the last life');
    this.expectSuccess(yield* right.received(), 'receive of the last life');
  }

  /** The responder first, and its peer, which has no answer then, when nothing of the message is on its way. */
  *#part(left: QpSide, right: QpSide): Proc<void> {
    yield* right.api.modifyQp(right.qp, { state: QP_STATE.reset });
    yield* delay(REST);
    yield* left.api.modifyQp(left.qp, { state: QP_STATE.reset });
  }

  /** As software must, not before everything is gone that the former lives have sent. */
  *#connect(left: QpSide, right: QpSide, random: RandomStream): Proc<void> {
    yield* delay(this.#onItsWay);
    const rnrRetry = this.#hasSlowBus ? RNR_RETRY_FOR_EVER : RNR_RETRY;
    yield* connectAgain(left, right, random, { minRnrTimer: RNR_TIMER, rnrRetry });
  }

  /** Whether a NIC may look for a receive for longer than its peer has patience. */
  get #hasSlowBus(): boolean {
    const { PCIE_GBPS, PCIE_TAGS, PCIE_MEMORY_NS, PCIE_UP_NS, PCIE_DOWN_NS } = this.values;
    return PCIE_GBPS < FAST.gbps || PCIE_TAGS < FAST.tags || PCIE_MEMORY_NS + PCIE_UP_NS + PCIE_DOWN_NS > FAST.ns;
  }

  /** How long what has been sent may be on its way at most (ps). */
  get #onItsWay(): number {
    return onItsWay(this.values, this.connections.length * LONG);
  }
}
