import { QP_TYPE } from '../../../rdma/verbs.ts';
import { type Proc, delay } from '../../../uvm/kernel/process.ts';
import { MS } from '../../../uvm/kernel/time.ts';
import { byTurns } from '../../user/byTurns.ts';
import type { Connection } from '../../user/connection.ts';
import { type OneWay, oneWay } from '../../user/oneWay.ts';
import { connectAgain, resetBoth } from '../../user/reconnection.ts';
import { talk } from '../../user/talk.ts';
import { UserSequence } from '../../user/userSequence.ts';

const HOW = ['lose', 'ca', 'ur', 'poison'] as const;
/** Longer than any NIC waits for an answer. */
const PATIENCE = 20 * MS;

/**
 * A context that its NIC cannot read, and software that takes all queue pairs to RESET then and connects them again: also where
 * that stops the whole device (DEVICE_FATAL, roce-transport.md 5.6), as a HanGu NIC does with `+NIC_CONTEXT_FATAL=1`.
 */
export class LostDevices extends UserSequence {
  static readonly typeName: string = 'lost_devices';
  static readonly description: string =
    'contexts that cannot be read, and all queue pairs made anew; +NIC_CONTEXT_FATAL=1 +NIC_QPC_CACHE=4 +RC_QP_NUM=8 plays all cases';
  override readonly services = [QP_TYPE.rc];

  override *body(): Proc {
    const ways: OneWay[] = [];
    for (const { left, right } of this.connections) ways.push(yield* oneWay(left, right, this.values.MTU));
    yield* byTurns(this, (connection, i) => this.#turn(connection, ways, i));
  }

  *#turn(connection: Connection, ways: readonly OneWay[], round: number): Proc<void> {
    const { left, right } = connection;
    const own = ways.find(({ from }) => from === left);
    if (own === undefined) return;
    for (const way of ways) if (way !== own) yield* talk(this, way);
    const how = HOW[(round >> 1) % HOW.length] as string;
    const { host, qp } = (round & 1) === 0 ? left : right;
    const fault = this.pcie.fault(`${how} area=context host=${host} qpn=${qp.qpn} nth=1 optional`);
    yield* right.receive(own.sink);
    yield* left.send(own.source);
    yield* delay(PATIENCE);
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
