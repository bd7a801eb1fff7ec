import { QP_TYPE } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import { byTurns } from '../../user/byTurns.ts';
import type { Connection } from '../../user/connection.ts';
import { type OneWay, waysOf } from '../../user/oneWay.ts';
import { connectAgain, resetBoth } from '../../user/reconnection.ts';
import { talk } from '../../user/talk.ts';
import { FAILURES, sendWithoutContext } from '../../user/unreadable.ts';
import { UserSequence } from '../../user/userSequence.ts';

/** Connections that talk meanwhile, at most: enough to take the place of a context in a small cache. */
const MOST_OTHERS = 8;

/**
 * Contexts of queue pairs that their NIC cannot read: QP_FATAL, nothing more of that queue pair, and nothing of the others, which
 * talk on (roce-transport.md 5.6). Then software resets it. A context is read only when it is not on the chip: small caches
 * (`+NIC_QPC_CACHE=4`) and more queue pairs than they hold; what a rule does not meet goes well.
 */
export class LostContexts extends UserSequence {
  static readonly typeName: string = 'lost_contexts';
  static readonly description: string = 'contexts that cannot be read; +NIC_QPC_CACHE=4 +RC_QP_NUM=8 plays all cases';
  override readonly services = [QP_TYPE.rc];

  override *body(): Proc {
    const ways = yield* waysOf(this);
    yield* byTurns(this, (connection, i) => this.#turn(connection, ways, i));
  }

  *#turn(connection: Connection, ways: readonly OneWay[], round: number): Proc<void> {
    const { left, right } = connection;
    const own = ways.find(({ from }) => from === left);
    if (own === undefined) return;
    const others = ways.filter((way) => way !== own).slice(0, MOST_OTHERS);
    for (const way of others) yield* talk(this, way);
    const fault = yield* sendWithoutContext(this, connection, own, FAILURES, round);
    for (const way of others) yield* talk(this, way);
    if (fault.fired === 0) this.expectSuccess(yield* left.sent(), 'SEND that no fault met');
    fault.stop();
    yield* this.quiet();
    yield* resetBoth(left, right);
    yield* connectAgain(left, right, this.streamOf(connection, `psns ${round}`));
  }
}
