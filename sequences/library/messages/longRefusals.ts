import { RNR_RETRY_FOR_EVER, RNR_TIMER_PS } from '../../../rdma/timers.ts';
import { QP_TYPE } from '../../../rdma/verbs.ts';
import { type Proc, delay } from '../../../uvm/kernel/process.ts';
import type { Connection } from '../../user/connection.ts';
import { connectAgain, resetBoth } from '../../user/reconnection.ts';
import { UserSequence } from '../../user/userSequence.ts';

const BYTES = 300;
/** RNR timer code of 10 us. */
const SHORTEST = 1;
/** More refusals in a row than a counter of three bits holds. */
const FEWEST = 9;
const MOST = 40;

/**
 * SENDs and WRITEs with immediate that are refused nine times and more before their receive comes, by a sender that has patience for
 * ever (`rnr_retry` 7): no retry may be counted, and nothing may be lost.
 */
export class LongRefusals extends UserSequence {
  static readonly typeName: string = 'long_refusals';
  static readonly description: string =
    'requests that get more than eight RNR NAKs in a row before their receive is posted';
  override readonly needs = { capabilities: ['naks'] } as const;
  override readonly services = [QP_TYPE.rc];

  override *connection(connection: Connection): Proc<void> {
    const { left, right } = connection;
    const random = this.streamOf(connection, 'refusals');
    yield* resetBoth(left, right);
    yield* connectAgain(left, right, random, { rnrRetry: RNR_RETRY_FOR_EVER, minRnrTimer: SHORTEST });
    const source = yield* left.source(BYTES);
    const sink = yield* right.sink(BYTES);
    for (let i = 0; i < this.count; i++) {
      const writes = random.chance(50);
      if (writes) yield* left.write(source, sink, { imm: i });
      else yield* left.send(source);
      yield* delay(random.range(FEWEST, MOST) * (RNR_TIMER_PS[SHORTEST] as number));
      yield* right.receive(writes ? [] : sink);
      this.expectSuccess(yield* left.sent(), writes ? 'WRITE' : 'SEND');
      this.expectSuccess(yield* right.received(), 'receive');
    }
  }
}
