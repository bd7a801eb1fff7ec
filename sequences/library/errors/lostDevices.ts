import { QP_TYPE } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import { byTurns } from '../../user/byTurns.ts';
import type { Connection } from '../../user/connection.ts';
import { type OneWay, waysOf } from '../../user/oneWay.ts';
import { connectAgain, resetBoth } from '../../user/reconnection.ts';
import { talk } from '../../user/talk.ts';
import { sendWithoutContext } from '../../user/unreadable.ts';
import { UserSequence } from '../../user/userSequence.ts';

const HOW = ['lose', 'ca', 'ur', 'poison'] as const;

/**
 * A context that its NIC cannot read, and software that takes all queue pairs to RESET then and connects them again: also where
 * that stops the whole device (DEVICE_FATAL, roce-transport.md 5.6), as a HanGu NIC does with `+NIC_CONTEXT_FATAL=1`.
 */
export class LostDevices extends UserSequence {
  static readonly typeName: string = 'lost_devices';
  static readonly description: string =
    'contexts that cannot be read, and all queue pairs recreated; +NIC_CONTEXT_FATAL=1 +NIC_QPC_CACHE=4 +RC_QP_NUM=8 plays all cases';
  override readonly services = [QP_TYPE.rc];

  override *body(): Proc {
    const ways = yield* waysOf(this);
    yield* byTurns(this, (connection, i) => this.#turn(connection, ways, i));
  }

  *#turn(connection: Connection, ways: readonly OneWay[], round: number): Proc<void> {
    const { left, right } = connection;
    const own = ways.find(({ from }) => from === left);
    if (own === undefined) return;
    for (const way of ways) if (way !== own) yield* talk(this, way);
    const fault = yield* sendWithoutContext(this, connection, own, HOW, round);
    const { fired } = fault;
    fault.stop();
    if (fired === 0) {
      this.expectSuccess(yield* left.sent(), 'SEND that no fault met');
      this.expectSuccess(yield* right.received(), 'receive that no fault met');
      return;
    }
    yield* this.quiet();
    for (const each of this.connections) yield* resetBoth(each.left, each.right);
    for (const each of this.connections)
      yield* connectAgain(each.left, each.right, this.streamOf(each, `psns ${round}`));
    for (const way of ways) yield* talk(this, way);
  }
}
