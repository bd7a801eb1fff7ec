import { QP_STATE, QP_TYPE } from '../../../rdma/verbs.ts';
import { type Proc, delay } from '../../../uvm/kernel/process.ts';
import { US } from '../../../uvm/kernel/time.ts';
import type { RandomStream } from '../../../uvm/random/randomStream.ts';
import type { Connection } from '../../user/connection.ts';
import { type OneWay, oneWay } from '../../user/oneWay.ts';
import type { QpSide } from '../../user/qpSide.ts';
import { UserSequence } from '../../user/userSequence.ts';

/** Bytes of a message, and of what a READ asks for: more than there is time for between two changes. */
const BYTES = 20_000;
const READS = 3;
/** Each side is changed so often while a round of requests is under way, with up to so many us in between. */
const CHANGES = 4;
const STEP = 6;
/** Codes of times to ask for when not ready: 10 us to 120 us. */
const RNR_TIMERS = [1, 7] as const;

/**
 * Queue pairs that software changes in RTS while they are at work: in the middle of messages and of READs, and in every
 * second round of RC while the sender waits for a receiver that is not ready. Nothing that is under way may be touched
 * (roce-transport.md 6.2).
 */
export class ChangedMidway extends UserSequence {
  static readonly typeName: string = 'changed_midway';
  static readonly description: string = 'queue pairs that software changes in RTS during requests';
  override readonly services = [QP_TYPE.rc, QP_TYPE.uc];

  override *connection(connection: Connection): Proc<void> {
    const { type, left, right } = connection;
    const random = this.streamOf(connection, 'changes');
    const way = yield* oneWay(left, right, BYTES);
    const reads = type === QP_TYPE.rc ? READS : 0;
    for (let i = 0; i < this.count; i++) {
      const late = type === QP_TYPE.rc && i % 2 === 1;
      if (!late) yield* right.receive(way.sink);
      yield* this.#request(way, reads);
      for (let k = 0; k < CHANGES; k++) yield* this.#change(connection, random);
      if (late) yield* right.receive(way.sink);
      for (let k = 0; k < reads + 2; k++) this.expectSuccess(yield* left.sent(), 'request');
      this.expectSuccess(yield* right.received(), 'receive');
    }
  }

  *#request({ from, source, target, copy, remote }: OneWay, reads: number): Proc<void> {
    yield* from.write(source, target);
    yield* from.send(source);
    for (let i = 0; i < reads; i++) yield* from.read(copy, remote);
  }

  *#change({ type, left, right }: Connection, random: RandomStream): Proc<void> {
    yield* delay(random.range(0, STEP) * US);
    for (const side of [right, left]) {
      if (type === QP_TYPE.rc) yield* ask(side, random.range(...RNR_TIMERS));
      else yield* side.api.modifyQp(side.qp, { state: QP_STATE.rts, accessFlags: side.qp.accessFlags });
    }
  }
}

/** Changes for how long a side asks who comes before a receive. */
function* ask({ api, qp }: QpSide, minRnrTimer: number): Proc<void> {
  yield* api.modifyQp(qp, { state: QP_STATE.rts, minRnrTimer });
}
