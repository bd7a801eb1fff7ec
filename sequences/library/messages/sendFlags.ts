import { QP_TYPE } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { Connection } from '../../user/connection.ts';
import { UserSequence } from '../../user/userSequence.ts';

const BYTES = 200;
/** Long enough to be under way when the next request is ready. */
const LONG = 20_000;

/** SENDs of which every second one is solicited and, on RC, comes fenced behind a READ. */
export class SendFlags extends UserSequence {
  static readonly typeName: string = 'send_flags';
  static readonly description: string = 'solicited SENDs, and on RC fenced ones after READs';

  override *connection({ type, left, right }: Connection): Proc<void> {
    const source = yield* left.source(BYTES);
    const sinks = (yield* right.sink(BYTES * this.count * 2)).split(this.count * 2);
    const remote = yield* right.source(LONG);
    const copy = yield* left.sink(LONG);
    for (const [i, sink] of sinks.entries()) {
      const marked = i % 2 === 1;
      const reads = marked && type === QP_TYPE.rc;
      yield* right.receive(sink);
      if (reads) yield* left.read(copy, remote);
      yield* left.send(source, { solicited: marked, fence: reads });
      if (reads) this.expectSuccess(yield* left.sent(), 'READ');
      this.expectSuccess(yield* left.sent(), 'SEND');
      this.expectSuccess(yield* right.received(), 'receive');
    }
  }
}
