import { QP_TYPE } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { Connection } from '../../user/connection.ts';
import { DevicePiece } from '../../user/memory/devicePiece.ts';
import type { RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import type { QpSide } from '../../user/qpSide.ts';
import { UserSequence } from '../../user/userSequence.ts';

const PAGE = 4096;
const BYTES = 2 * PAGE;
/** Bytes of requests. */
const MOST = 600;

type Play = (left: QpSide, own: RegisteredBuffer, first: RegisteredBuffer, last: RegisteredBuffer) => Proc<void>;

/** Each names a byte more than its region has. */
const REFUSED: readonly (readonly [what: string, play: Play])[] = [
  ['WRITE a byte behind device memory', (left, own, _first, last) => left.write(own, last.moved(1))],
  ['WRITE a byte in front of device memory', (left, own, first) => left.write(own, first.moved(-1))],
  ['READ a byte behind device memory', (left, own, _first, last) => left.read(own, last.moved(1))],
  ['READ a byte in front of device memory', (left, own, first) => left.read(own, first.moved(-1))],
];

/**
 * Ends of zero-based regions of device memory, one case on each connection: requests that reach the first and the last byte succeed,
 * and one that reaches a byte further is refused. The first connection takes the highest page of the card that handles have.
 */
export class DeviceBounds extends UserSequence {
  static readonly typeName: string = 'device_bounds';
  static readonly description: string =
    'requests to the first and last byte of device memory, and one byte beyond; +RC_QP_NUM=4 plays all cases';
  override readonly needs = { capabilities: ['cardMemory', 'zeroBased', 'naks'] } as const;
  override readonly services = [QP_TYPE.rc];

  override *connection(connection: Connection): Proc<void> {
    const { index, left, right } = connection;
    const bytes = this.streamOf(connection, 'ranges').range(1, MOST);
    const share = Math.floor(right.api.dmGeometry.handleBytes / PAGE / this.connections.length) - 2;
    const dm = right.api.allocDm(right.qp.process, share * PAGE);
    const there = yield* DevicePiece.of(right, dm, highestPage(right, dm, share) * PAGE, PAGE);
    const own = yield* DevicePiece.take(left, BYTES);
    const [first, last] = [there.buffer.part(0, bytes), there.buffer.part(PAGE - bytes, bytes)];
    for (const target of [first, last]) {
      yield* left.write(own.buffer.part(0, bytes), target);
      this.expectSuccess(yield* left.sent(), 'WRITE');
      yield* left.read(own.buffer.part(BYTES - bytes, bytes), target);
      this.expectSuccess(yield* left.sent(), 'READ');
    }
    const [what, play] = REFUSED[index % REFUSED.length] as (typeof REFUSED)[number];
    yield* play(left, own.buffer.part(0, bytes), first, last);
    yield* this.expectRefused(connection, 'responder', what);
    yield* right.deregister(there.buffer);
    right.api.freeDm(dm);
    yield* own.giveBack();
  }
}

/** Page of a handle that lies highest on the card. */
function highestPage({ api }: QpSide, dm: DevicePiece['dm'], pages: number): number {
  let best = 0;
  for (let page = 1; page < pages; page++)
    if (api.placeOfDm(dm, page * PAGE) > api.placeOfDm(dm, best * PAGE)) best = page;
  return best;
}
