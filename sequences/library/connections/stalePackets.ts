import { QP_TYPE } from '../../../rdma/verbs.ts';
import { type Proc, delay } from '../../../uvm/kernel/process.ts';
import { US } from '../../../uvm/kernel/time.ts';
import type { Connection } from '../../user/connection.ts';
import { connectAgain, resetBoth } from '../../user/reconnection.ts';
import { UserSequence } from '../../user/userSequence.ts';

const BYTES = 100;
/** Requests of each life, and the time between those of the second one. */
const FIRST = 2;
const SECOND = 3;
const PAUSE = 8 * US;
/** The first life ends so long after its last request: its packets have arrived, where the link lets them. */
const REST = 10 * US;

/**
 * Queue pairs that are reset and connected again with other PSNs while packets of their former life may still be on the
 * way: with rules that delay or repeat them, they arrive in the next life, which must do nothing of what they ask for.
 */
export class StalePackets extends UserSequence {
  static readonly typeName: string = 'stale_packets';
  static readonly description: string =
    'queue pairs that are reconnected while packets of their previous connection may be in flight';
  override readonly services = [QP_TYPE.rc];

  override *connection(connection: Connection): Proc<void> {
    const { left, right } = connection;
    const random = this.streamOf(connection, 'psns');
    const [source, target] = [yield* left.source(BYTES), yield* right.sink(BYTES * (FIRST + SECOND))];
    const targets = target.split(FIRST + SECOND);
    for (const part of targets.slice(0, FIRST)) yield* left.write(source, part);
    yield* delay(REST);
    yield* resetBoth(left, right);
    yield* connectAgain(left, right, random);
    for (const part of targets.slice(FIRST)) {
      yield* left.write(source, part);
      yield* delay(PAUSE);
    }
  }
}
