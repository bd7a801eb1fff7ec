import type { AccessArea } from '../../../agents/pcie/faults/place/accessPlace.ts';
import { BTH_CLASS, BTH_OP, PSN_MASK } from '../../../rdma/bth.ts';
import { QP_TYPE } from '../../../rdma/verbs.ts';
import { type Proc, delay } from '../../../uvm/kernel/process.ts';
import type { SimTime } from '../../../uvm/kernel/scheduler.ts';
import { US, formatTime } from '../../../uvm/kernel/time.ts';
import type { TrafficWatcher } from '../../host/trafficWatcher.ts';
import type { Connection } from '../../user/connection.ts';
import type { RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import { UserSequence } from '../../user/userSequence.ts';
import { WORD } from '../../host/atomicWords.ts';

const ADD = 1n;
/** Repeats, spread over the atomics that were posted. */
const REPEATS = 8;
/** A NIC has dealt with a packet so long after it has come. */
const REST = 30 * US;

/** What one repeat costs the responder. */
class Cost implements TrafficWatcher {
  reads = 0;
  bytes = 0;
  begin: SimTime = 0;
  end: SimTime = 0;
  readonly #host: number;
  readonly #now: () => SimTime;

  constructor(host: number, now: () => SimTime) {
    this.#host = host;
    this.#now = now;
  }

  clear(): void {
    this.reads = 0;
    this.bytes = 0;
    this.begin = 0;
    this.end = 0;
  }

  arrived(host: number): void {
    if (host === this.#host) this.begin = this.#now();
  }

  sent(host: number, _data: number, _length: number, time: SimTime): void {
    if (host === this.#host) this.end = time;
  }

  accessed(host: number, isWrite: boolean, area: AccessArea, length: number): void {
    if (host !== this.#host || isWrite || area !== 'results') return;
    this.reads++;
    this.bytes += length;
  }
}

/**
 * Fills the ACK queue with `+SEQ_COUNT` results and repeats some of the atomics, the newest, the oldest and others between
 * them: prints what each look-up reads of host memory and how long its answer takes. `hca_regress atomics` makes a table of it.
 */
export class AckQueueDepths extends UserSequence {
  static readonly typeName: string = 'ack_queue_depths';
  static readonly description: string = 'cost of duplicate atomics, by the number of stored results';
  override readonly services = [QP_TYPE.rc];
  override readonly needs = { capabilities: ['atomics', 'naks'] } as const;

  override *connection(connection: Connection): Proc<void> {
    if (connection.index > 0) return;
    const { left, right } = connection;
    const target = yield* right.words(WORD);
    const result = yield* left.sink(WORD);
    const { rqPsn: first = 0 } = yield* right.api.queryQp(right.qp);
    for (let i = 0; i < this.count; i++) {
      yield* left.fetchAdd(result, target, ADD);
      this.expectSuccess(yield* left.sent(), 'FETCH_ADD');
    }
    const cost = new Cost(right.host, () => this.run.scheduler.now);
    this.watch(cost);
    for (let i = 0; i < REPEATS; i++) {
      const k = Math.round(((this.count - 1) * i) / (REPEATS - 1));
      cost.clear();
      this.#repeat(connection, target, (first + k) & PSN_MASK);
      yield* delay(REST);
      const answer = cost.end === 0 ? 'no answer' : `answer after ${formatTime(cost.end - cost.begin)}`;
      const back = this.count - 1 - k;
      this.info('ACK_QUEUE', `repeat ${back} back: ${cost.reads} reads, ${cost.bytes} bytes, ${answer}`);
    }
  }

  #repeat({ left, right }: Connection, target: RegisteredBuffer, psn: number): void {
    const va = (BigInt.asUintN(32, BigInt(target.hi)) << 32n) | BigInt.asUintN(32, BigInt(target.lo));
    this.link.inject({
      ...{ from: left.host, to: right.host, destQp: right.qp.qpn, ipv6: left.qp.ipv6 },
      ...{ opcode: BTH_CLASS.rc | BTH_OP.fetchAdd, ackRequest: true, psn, va, rkey: target.key, swapAdd: ADD },
    });
  }
}
