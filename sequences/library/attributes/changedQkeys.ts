import { OWN_QKEY, QP_STATE, QP_TYPE } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { Connection } from '../../user/connection.ts';
import type { QpSide } from '../../user/qpSide.ts';
import type { RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import { UserSequence } from '../../user/userSequence.ts';

/** A packet even at the shortest path MTU. */
const BYTES = 201;
const LARGEST_KEY = 0x7fff_ffff;

/**
 * UD queue pairs whose Q_Key software changes in RTS (roce-transport.md 6.2): datagrams with the new one are received,
 * those with the former one dropped. The datagram with the right one comes directly behind one that asks for the Q_Key of
 * its sender, another one: each must carry its own (4.3).
 */
export class ChangedQkeys extends UserSequence {
  static readonly typeName: string = 'changed_qkeys';
  static readonly description: string = 'UD queue pairs whose Q_Key is changed in RTS, and datagrams with several';
  override readonly services = [QP_TYPE.ud];

  override *connection(connection: Connection): Proc<void> {
    const { left, right } = connection;
    const random = this.streamOf(connection, 'keys');
    const source = yield* left.source(BYTES);
    const sink = yield* right.sink(BYTES);
    for (let i = 0; i < this.count; i++) {
      const former = right.qp.qkey;
      yield* change(right, random.range(0, LARGEST_KEY));
      if (i % 3 === 2) yield* change(left, random.range(0, LARGEST_KEY));
      yield* right.api.queryQp(right.qp);
      yield* this.#talk(connection, source, sink, [former, OWN_QKEY, right.qp.qkey]);
      yield* change(left, right.qp.qkey);
      yield* this.#talk(connection, source, sink, [former, OWN_QKEY]);
    }
  }

  /** Datagrams with these Q_Keys, as far as they are not the receiver's, and with the last one, which is: it alone arrives. */
  *#talk({ left, right }: Connection, source: RegisteredBuffer, sink: RegisteredBuffer, keys: number[]): Proc<void> {
    const others = keys.slice(0, -1).filter((key) => (key < 0 ? left.qp.qkey : key) !== right.qp.qkey);
    const sent = [...others, keys.at(-1) as number];
    yield* right.receive(sink);
    for (const qkey of sent) yield* left.sendTo(right, source, { qkey, imm: left.sendsPosted });
    for (const qkey of sent) this.expectSuccess(yield* left.sent(), `datagram with Q_Key ${qkey >>> 0}`);
    this.expectSuccess(yield* right.received(), 'receive');
  }
}

function* change({ api, qp }: QpSide, qkey: number): Proc<void> {
  yield* api.modifyQp(qp, { state: QP_STATE.rts, qkey });
}
