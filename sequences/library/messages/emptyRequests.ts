import { QP_TYPE } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { Connection } from '../../user/connection.ts';
import { NO_KEY } from '../../user/memory/registeredBuffer.ts';
import { UserSequence } from '../../user/userSequence.ts';

const BYTES = 64;
const HALF = 32;

/**
 * WRITEs and READs of no bytes, under keys that open nothing, in front of and behind others, and empty entries of lists: whatever address and key
 * such a request names, it must end well, since nothing is touched (roce-transport.md 3.9, 4.2).
 */
export class EmptyRequests extends UserSequence {
  static readonly typeName: string = 'empty_requests';
  static readonly description: string = 'zero-length WRITEs and READs with invalid keys';
  override readonly needs = { entries: 3 } as const;
  override readonly services = [QP_TYPE.rc, QP_TYPE.uc];

  override *connection({ type, left, right }: Connection): Proc<void> {
    const source = yield* left.source(BYTES);
    const copy = yield* left.sink(BYTES);
    const target = yield* right.sink(BYTES);
    const nowhere = target.part(0, 0).withKey(NO_KEY);
    const halves = [source.part(0, HALF), source.part(0, 0).withKey(NO_KEY), source.part(HALF, HALF)];
    const reads = type === QP_TYPE.rc;
    for (let i = 0; i < this.count; i++) {
      yield* left.write(source.part(0, 0), nowhere);
      yield* left.write(halves, target);
      if (reads) yield* left.read(copy.part(0, 0), nowhere.moved(-1));
      yield* left.write([], nowhere.moved(BYTES));
      if (reads) yield* left.read(copy, target);
      for (let k = reads ? 5 : 3; k > 0; k--) this.expectSuccess(yield* left.sent(), 'request');
    }
  }
}
