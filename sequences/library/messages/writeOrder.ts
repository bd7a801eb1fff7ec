import { QP_TYPE } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { Connection } from '../../user/connection.ts';
import { UserSequence } from '../../user/userSequence.ts';

const BYTES = 3000;
const NOTE = 64;

/**
 * The order that software builds upon: data by WRITE and a SEND behind them that says that they are there; data by
 * WRITE that a READ behind them brings back.
 */
export class WriteOrder extends UserSequence {
  static readonly typeName: string = 'write_order';
  static readonly description: string = 'SENDs and READs after WRITEs, whose data must be in memory';
  override readonly services = [QP_TYPE.rc];

  override *connection({ left, right }: Connection): Proc<void> {
    const copy = yield* left.sink(BYTES);
    const note = yield* right.sink(NOTE);
    for (let i = 0; i < this.count; i++) {
      const source = yield* left.source(2 * BYTES + NOTE);
      const target = yield* right.sink(2 * BYTES);
      yield* right.receive(note);
      yield* left.write(source.part(0, BYTES), target.part(0, BYTES));
      yield* left.send(source.part(2 * BYTES, NOTE));
      this.expectSuccess(yield* right.received(), 'receive');
      yield* left.write(source.part(BYTES, BYTES), target.part(BYTES, BYTES));
      yield* left.read(copy, target.part(BYTES, BYTES));
      for (const what of ['WRITE', 'SEND', 'WRITE', 'READ']) this.expectSuccess(yield* left.sent(), what);
    }
  }
}
