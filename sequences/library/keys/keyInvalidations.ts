import { QP_TYPE } from '../../../rdma/verbs.ts';
import { type Proc, delay } from '../../../uvm/kernel/process.ts';
import { NS } from '../../../uvm/kernel/time.ts';
import type { Connection } from '../../user/connection.ts';
import {
  BINDABLE,
  bindable,
  bindWindow,
  invalidate,
  registerFast,
  sendInvalidating,
} from '../../user/keys/keyRequests.ts';
import type { QpSide } from '../../user/qpSide.ts';
import type { RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import { UserSequence } from '../../user/userSequence.ts';

/** Many packets at any MTU. */
const LONG = 60_000;
const REQUESTS = 8;
const LONGEST_PAUSE = 20_000;

/**
 * Keys that are invalidated while their peer uses them, at a random moment: under WRITEs and READs of many packets, by a request of the
 * own side, by a SEND behind a READ whose answer is under way, and by two connections at once, of which one must come second. What
 * becomes of each request is left to the scoreboard. One case for each connection.
 */
export class KeyInvalidations extends UserSequence {
  static readonly typeName: string = 'key_invalidations';
  static readonly description: string =
    'keys invalidated under the requests that use them; +RC_QP_NUM=6 plays all cases';
  override readonly services = [QP_TYPE.rc];
  override readonly needs = { capabilities: ['memoryWindows', 'fastRegistration', 'naks'] } as const;

  override *body(): Proc {
    const all = this.connections;
    yield* this.forEachConnection(
      function* (this: KeyInvalidations, c: Connection) {
        const pause = this.streamOf(c, 'pause').range(0, LONGEST_PAUSE) * NS;
        switch (c.index % 5) {
          case 0:
            yield* underWrites(c, pause);
            break;
          case 1:
            yield* underReads(c, pause);
            break;
          case 2:
            yield* behindRead(c, false);
            break;
          case 3:
            yield* behindRead(c, true);
            break;
          default:
            yield* twice(c, all[(c.index + 1) % all.length] as Connection);
        }
      }.bind(this),
    );
  }
}

/** A window of the right side on a long range. */
function* window(side: QpSide): Proc<RegisteredBuffer> {
  const region = yield* bindable(side, yield* side.words(LONG));
  const mw = yield* side.api.allocMw(side.qp.pd, 2);
  const bound = yield* bindWindow(side, mw, region);
  yield* side.sent();
  return bound;
}

function* underWrites({ left, right }: Connection, pause: number): Proc<void> {
  const target = yield* window(right);
  const source = yield* left.source(LONG);
  for (let i = 0; i < REQUESTS; i++) yield* left.write(source, target);
  yield* delay(pause);
  yield* invalidate(right, target);
  (yield* right.sent()).expected();
  yield* takeAll(left);
}

function* underReads({ left, right }: Connection, pause: number): Proc<void> {
  const target = yield* window(right);
  const sink = yield* left.sink(LONG);
  for (let i = 0; i < REQUESTS; i++) yield* left.read(sink, target);
  yield* delay(pause);
  yield* invalidate(right, target);
  (yield* right.sent()).expected();
  yield* takeAll(left);
}

/** A SEND takes away what a READ in front of it reads; with the fence it waits for the answer, which must be whole then. */
function* behindRead({ left, right }: Connection, fence: boolean): Proc<void> {
  const target = yield* window(right);
  yield* right.receive([]);
  yield* left.read(yield* left.sink(LONG), target);
  yield* sendInvalidating(left, null, target, { fence });
  for (let i = 0; i < 2; i++) (yield* left.sent()).expected();
}

/** Both the peer and the own side invalidate a region. */
function* twice({ left, right }: Connection, _other: Connection): Proc<void> {
  const buffer = yield* right.words(LONG);
  const mr = yield* right.api.allocMr(right.qp.pd, 16);
  const fast = yield* registerFast(right, mr, buffer, { access: BINDABLE });
  yield* right.sent();
  yield* right.receive(yield* right.sink(LONG));
  yield* sendInvalidating(left, yield* left.source(LONG), fast);
  yield* invalidate(right, fast);
  (yield* right.sent()).expected();
  (yield* left.sent()).expected();
}

function* takeAll(side: QpSide): Proc<void> {
  for (let i = 0; i < REQUESTS; i++) (yield* side.sent()).expected();
}
