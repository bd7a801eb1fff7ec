import { QP_TYPE } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { RandomStream } from '../../../uvm/random/randomStream.ts';
import type { Connection } from '../../user/connection.ts';
import { DevicePiece, randomBytes } from '../../user/memory/devicePiece.ts';
import { UserSequence } from '../../user/userSequence.ts';

const PAGE = 4096;
/** Pages of each connection for its other piece. */
const PAGES_LEFT = 4;
const MOST = 700;

/**
 * Copies across the ends of sub-windows and of banks: a side takes as much device memory as there is, copies ranges of any length and
 * alignment across each end, and has the NIC send some of them. Ends follow each other with `+PAGE_SCATTER=0`; with scattered pages
 * each page may lie in another sub-window.
 */
export class WindowEnds extends UserSequence {
  static readonly typeName: string = 'window_ends';
  static readonly description: string = 'copies through the aperture across the ends of sub-windows and banks';
  override readonly needs = { capabilities: ['cardMemory', 'zeroBased'] } as const;
  override readonly services = [QP_TYPE.rc];

  override *connection(connection: Connection): Proc<void> {
    const { left, right } = connection;
    const random = this.streamOf(connection, 'ranges');
    const there = yield* DevicePiece.take(right, 2 * MOST);
    const { handleBytes, windowBytes } = left.api.dmGeometry;
    const dm = left.api.allocDm(left.qp.process, this.#bytesOf(handleBytes));
    const first = left.api.placeOfDm(dm, 0);
    const ends = Math.min(Math.floor(dm.length / windowBytes), this.count * 16);
    for (let i = 0; i < ends; i++) {
      const end = windowBytes * (i + 1) - (first % windowBytes);
      if (end + PAGE > dm.length) break;
      const here = yield* DevicePiece.of(left, dm, end - PAGE, 2 * PAGE);
      yield* this.#across(here, there, random);
      yield* left.deregister(here.buffer);
    }
    left.api.freeDm(dm);
    yield* there.giveBack();
  }

  /** A copy across an end, in one call, which the NIC then sends. */
  *#across(here: DevicePiece, there: DevicePiece, random: RandomStream): Proc<void> {
    const before = random.range(1, MOST);
    const bytes = before + random.range(1, MOST);
    const at = PAGE - before;
    const data = randomBytes(random, bytes);
    yield* here.copyTo(at, data);
    this.#compare(here, at, yield* here.copyFrom(at, bytes), data);
    yield* here.side.write(here.buffer.part(at, bytes), there.buffer.part(0, bytes));
    this.expectSuccess(yield* here.side.sent(), 'WRITE');
    this.#compare(there, 0, yield* there.copyFrom(0, bytes), data);
  }

  /** What each side of the run may take, in whole pages. */
  #bytesOf(handles: number): number {
    return (Math.floor(handles / PAGE / this.connections.length) - PAGES_LEFT) * PAGE;
  }

  #compare(piece: DevicePiece, at: number, read: Uint8Array, right: Uint8Array): void {
    const mistake = piece.mistake(at, read, right);
    if (mistake !== '') this.error('SEQ_APERTURE', mistake);
  }
}
