import { QP_TYPE } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { Connection } from '../../user/connection.ts';
import { UserSequence } from '../../user/userSequence.ts';

/** Packets of the READ, and bytes of the WRITE. */
const PACKETS = 2;
const SHORT = 50;

/**
 * READs with a WRITE behind each, posted together: an answer to the WRITE tells the requester that one to the READ is
 * lost (roce-transport.md 3.7).
 */
export class WriteBehindRead extends UserSequence {
  static readonly typeName: string = 'write_behind_read';
  static readonly description: string = 'READs of two packets, each followed by a WRITE';
  override readonly services = [QP_TYPE.rc];

  override *connection({ left, right }: Connection): Proc<void> {
    const bytes = (PACKETS - 1) * this.values.MTU + SHORT;
    const [copy, remote] = [yield* left.sink(bytes), yield* right.source(bytes)];
    const [source, target] = [yield* left.source(SHORT), yield* right.sink(SHORT)];
    for (let i = 0; i < this.count; i++) {
      yield* left.read(copy, remote);
      yield* left.write(source, target);
      for (const what of ['READ', 'WRITE']) this.expectSuccess(yield* left.sent(), what);
    }
  }
}
