import { ACCESS, QP_TYPE, WC_STATUS } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { Connection } from '../../user/connection.ts';
import { bindable, bindWindow, invalidate, sendInvalidating } from '../../user/keys/keyRequests.ts';
import type { QpSide } from '../../user/qpSide.ts';
import type { RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import { UserSequence } from '../../user/userSequence.ts';

/** Three pages and more. */
const BYTES = 14_000;
const PART = 3000;
const NEAR_TAGS = [2, 1, 4, 8, 16, 32, 64, 128] as const;

/**
 * Windows in all pages of their region, by address and by offset; then, one on each connection: a key whose tag differs in one bit, a
 * window that its own side names, an invalidation of a plain region from afar, and one of what opens nothing.
 */
export class WindowRules extends UserSequence {
  static readonly typeName: string = 'window_rules';
  static readonly description: string =
    'access through memory windows, by range and queue pair; +RC_QP_NUM=4 plays all cases';
  override readonly services = [QP_TYPE.rc];
  override readonly needs = { capabilities: ['memoryWindows', 'naks'] } as const;

  override *connection(c: Connection): Proc<void> {
    const { left, right } = c;
    const region = yield* bindable(right, yield* right.words(BYTES));
    for (let at = 0; at + PART <= BYTES; at += PART) yield* this.#uses(c, region.part(at, PART));
    const mw = yield* right.api.allocMw(right.qp.pd, 2);
    const window = yield* bindWindow(right, mw, region.part(0, PART));
    this.expectSuccess(yield* right.sent(), 'bind');
    switch (c.index % 4) {
      case 0: {
        const tag = NEAR_TAGS[Math.floor(c.index / 4) % NEAR_TAGS.length] as number;
        yield* left.read(yield* left.sink(PART), window.withKey(window.key ^ tag));
        this.expectStatus(yield* left.sent(), WC_STATUS.remAccessErr, 'READ with a key of another tag');
        break;
      }
      case 1:
        yield* left.receive(yield* left.sink(PART));
        yield* right.send(window.unchecked());
        this.expectStatus(yield* right.sent(), WC_STATUS.locProtErr, 'SEND out of a window of the own side');
        break;
      case 2:
        yield* this.#notInvalidated(c, region);
        break;
      default:
        yield* invalidate(right, window);
        this.expectSuccess(yield* right.sent(), 'invalidation');
        yield* this.#notInvalidated(c, window);
    }
  }

  /** Both types, by address and by offset. */
  *#uses({ left, right }: Connection, part: RegisteredBuffer): Proc<void> {
    for (const type of [1, 2] as const) {
      const mw = yield* right.api.allocMw(right.qp.pd, type);
      const window = yield* bindWindow(right, mw, part, {
        zeroBased: type === 2,
        access: ACCESS.remoteRead | ACCESS.remoteWrite,
      });
      this.expectSuccess(yield* right.sent(), 'bind');
      yield* left.write(yield* left.source(PART), window.unchecked());
      yield* left.read(yield* left.sink(PART), window.unchecked());
      for (let n = 0; n < 2; n++) this.expectSuccess(yield* left.sent(), 'request through a window');
      yield* right.api.deallocMw(mw);
    }
  }

  *#notInvalidated(
    { left, right }: { readonly left: QpSide; readonly right: QpSide },
    key: RegisteredBuffer,
  ): Proc<void> {
    yield* right.receive([]);
    yield* sendInvalidating(left, null, key);
    (yield* right.received()).expected();
    (yield* left.sent()).expected();
  }
}
