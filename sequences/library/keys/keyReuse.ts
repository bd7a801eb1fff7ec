import { QP_TYPE, WC_STATUS } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { Connection } from '../../user/connection.ts';
import { bindable, bindWindow } from '../../user/keys/keyRequests.ts';
import type { RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import { UserSequence } from '../../user/userSequence.ts';

const BYTES = 4000;
const PART = 8;
/** Once round all tags, and some more: the first keys are right again then, for other bytes. */
const BINDS = 260;
const TAGS = 256;

/**
 * One window of type 1 that is bound again and again, to another range each time: with the tag that comes back after 256 binds the same
 * key opens other bytes. The key in use is used now and then, and at last one that is out of date, which opens nothing.
 */
export class KeyReuse extends UserSequence {
  static readonly typeName: string = 'key_reuse';
  static readonly description: string = 'a window that is bound until its keys repeat';
  override readonly services = [QP_TYPE.rc];
  override readonly needs = { capabilities: ['memoryWindows', 'naks'] } as const;

  override *connection({ left, right }: Connection): Proc<void> {
    const region = yield* bindable(right, yield* right.words(BYTES));
    const mw = yield* right.api.allocMw(right.qp.pd, 1);
    const bound: RegisteredBuffer[] = [];
    for (let i = 0; i < BINDS; i++) {
      bound.push(yield* bindWindow(right, mw, region.part(PART * i, PART)));
      this.expectSuccess(yield* right.sent(), 'bind');
      if (i % 32 !== 0 && i < TAGS) continue;
      const now = bound[i] as RegisteredBuffer;
      yield* left.write(yield* left.source(PART), now);
      yield* left.read(yield* left.sink(PART), now);
      for (let n = 0; n < 2; n++) this.expectSuccess(yield* left.sent(), 'request with the key of the latest bind');
    }
    const stale = bound[BINDS - 2] as RegisteredBuffer;
    yield* left.read(yield* left.sink(PART), stale);
    this.expectStatus(yield* left.sent(), WC_STATUS.remAccessErr, 'READ with the key of the bind before');
  }
}
