import { QP_TYPE } from '../../../rdma/verbs.ts';
import { type Proc, delay } from '../../../uvm/kernel/process.ts';
import type { Connection } from '../../user/connection.ts';
import { type OneWay, waysOf } from '../../user/oneWay.ts';
import { resetBoth } from '../../user/reconnection.ts';
import { talk } from '../../user/talk.ts';
import { PATIENCE } from '../../user/unreadable.ts';
import { UserSequence } from '../../user/userSequence.ts';

/** What cannot be read: the context of a completion queue, or the translation of its ring. */
const HOW = ['ur', 'lose', 'poison', 'ca'] as const;
/** Queues that are lost: of the others it is seen that they go on. */
const SHARE = 2;

/**
 * Completion queues whose contexts their NIC cannot read: CQ_ERR, and QP_FATAL of each queue pair that has something to report
 * there; the others go on (roce-transport.md 5.5, 5.6). Such a queue is of no use any more: its connection ends in RESET.
 */
export class LostQueues extends UserSequence {
  static readonly typeName: string = 'lost_queues';
  static readonly description: string =
    'completion queues whose contexts cannot be read; +NIC_CQC_CACHE=4 +RC_QP_NUM=8 plays all cases';
  override readonly services = [QP_TYPE.rc];

  override *body(): Proc {
    const ways = yield* waysOf(this);
    const lost = this.connections.slice(0, Math.floor(this.connections.length / SHARE));
    for (const [round, connection] of lost.entries()) yield* this.#turn(connection, ways, round);
  }

  *#turn({ left, right }: Connection, ways: readonly OneWay[], round: number): Proc<void> {
    const own = ways[round] as OneWay;
    const others = ways.slice(round + 1);
    for (const way of others) yield* talk(this, way);
    const [side, cq] = (round & 1) === 0 ? [left, left.qp.sendCq] : [right, right.qp.recvCq];
    const how = HOW[round % HOW.length] as string;
    const fault = this.pcie.fault(`${how} area=cq_context host=${side.host} cqn=${cq.cqn} nth=1 optional`);
    yield* right.receive(own.sink);
    yield* left.send(own.source);
    yield* delay(PATIENCE);
    fault.stop();
    if (fault.fired === 0) this.expectSuccess(yield* left.sent(), 'SEND that no fault met');
    for (const way of others) yield* talk(this, way);
    yield* this.quiet();
    yield* resetBoth(left, right);
  }
}
