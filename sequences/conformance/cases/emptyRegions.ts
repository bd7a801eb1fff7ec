/** Regions of no bytes. */
import type { Proc } from '../../../uvm/kernel/process.ts';
import { emptyRegion } from '../../user/keys/regionRequests.ts';
import type { RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import type { CaseBench } from '../caseBench.ts';
import { subject } from '../conformanceCase.ts';

/** Far from any memory of the case. */
const FAR = 0x1000_0000;

/** A request of no bytes, which succeeds and leaves the connection as it is. */
function* succeeds(t: CaseBench, request: (own: RegisteredBuffer) => Proc<void>): Proc<void> {
  yield* request(yield* emptyRegion(t.left));
  yield* t.sent();
  yield* t.expectState('rts', t.left, t.right);
}

export const EMPTY_REGIONS = subject(['emptyRegions'], {
  *G020(t) {
    const { mr } = yield* emptyRegion(t.left);
    t.expectEqual('length', mr?.length, 0);
    if (mr === undefined) return;
    yield* t.left.api.deregMr(mr);
    t.expect(!mr.alive, 'the region is still there');
  },
  *G022(t) {
    yield* t.right.receive(yield* emptyRegion(t.right));
    yield* succeeds(t, (own) => t.left.send(own));
    t.expectEqual('bytes', (yield* t.received()).byteLen, 0);
  },
  *G028(t) {
    const there = yield* emptyRegion(t.right);
    yield* succeeds(t, (own) => t.left.read(own, there));
  },
  *G029(t) {
    const there = yield* emptyRegion(t.right);
    yield* succeeds(t, (own) => t.left.read(own, there.moved(FAR)));
  },
  *G035(t) {
    const there = yield* emptyRegion(t.right);
    yield* succeeds(t, (own) => t.left.write(own, there));
  },
  *G036(t) {
    const there = yield* emptyRegion(t.right);
    yield* succeeds(t, (own) => t.left.write(own, there.moved(FAR)));
  },
});
