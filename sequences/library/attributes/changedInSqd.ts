import { QP_STATE, QP_TYPE } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import { drain } from '../../user/changeDrained.ts';
import type { Connection } from '../../user/connection.ts';
import { oneWay } from '../../user/oneWay.ts';
import { UserSequence } from '../../user/userSequence.ts';

/** Fits in a datagram at any MTU. */
const BYTES = 200;
const WAITING = 3;

/**
 * Queue pairs that are changed in SQD while requests wait in their send queues, receives in their receive queues, and
 * messages of the peer come in: nothing of it may be lost, and what waited is sent as the new attributes say
 * (roce-transport.md 6.2).
 */
export class ChangedInSqd extends UserSequence {
  static readonly typeName: string = 'changed_in_sqd';
  static readonly description: string = 'queue pairs that are changed in SQD with requests and receives waiting';

  override *connection(connection: Connection): Proc<void> {
    const { left, right } = connection;
    const random = this.streamOf(connection, 'changes');
    const there = yield* oneWay(left, right, BYTES);
    const back = yield* oneWay(right, left, BYTES);
    for (let i = 0; i < this.count; i++) {
      for (let k = 0; k < WAITING; k++) {
        yield* left.receive(back.sink);
        yield* right.receive(there.sink);
      }
      yield* drain(left);
      yield* this.#change(connection, random.range(0, 255));
      for (let k = 0; k < WAITING; k++) yield* left.send(there.source);
      // On the wire while it is changed once more.
      for (let k = 0; k < WAITING; k++) yield* right.send(back.source);
      yield* this.#change(connection, random.range(0, 255));
      yield* left.api.modifyQp(left.qp, { state: QP_STATE.rts });
      for (const side of [left, right]) {
        for (let k = 0; k < WAITING; k++) {
          this.expectSuccess(yield* side.sent(), 'SEND');
          this.expectSuccess(yield* side.received(), 'receive');
        }
      }
    }
  }

  /** The path of a connection; of a datagram queue pair, which has none, its Q_Key, to what it was. */
  *#change({ type, left }: Connection, trafficClass: number): Proc<void> {
    const { api, qp } = left;
    if (type === QP_TYPE.ud) {
      yield* api.modifyQp(qp, { state: QP_STATE.sqd, qkey: qp.qkey });
      return;
    }
    const av = { remoteHost: qp.remoteHost, ipv6: qp.ipv6, trafficClass, flowLabel: 0, hopLimit: 64 };
    yield* api.modifyQp(qp, { state: QP_STATE.sqd, av });
  }
}
