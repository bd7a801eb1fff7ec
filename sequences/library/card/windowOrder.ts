import { QP_TYPE } from '../../../rdma/verbs.ts';
import type { DmThread } from '../../../env/verbs/dm/dmThread.ts';
import { joinAll, type Proc } from '../../../uvm/kernel/process.ts';
import type { RandomStream } from '../../../uvm/random/randomStream.ts';
import type { Connection } from '../../user/connection.ts';
import { DevicePiece, difference, randomBytes } from '../../user/memory/devicePiece.ts';
import type { QpSide } from '../../user/qpSide.ts';
import { UserSequence } from '../../user/userSequence.ts';

const BYTES = 30_000;
const LINE = 64;

/**
 * One thread a window: selects, posted writes and reads in any mixture, none of which waits for the one before. Accesses before a select
 * use the sub-window of before, accesses behind it the new one.
 */
export class WindowOrder extends UserSequence {
  static readonly typeName: string = 'window_order';
  static readonly description: string =
    'selects, writes and reads of one thread per window, without waiting for each other';
  override readonly needs = { capabilities: ['cardMemory', 'zeroBased'] } as const;
  override readonly services = [QP_TYPE.rc];

  override *body(): Proc {
    const [connection] = this.connections;
    if (connection === undefined) return;
    const threads: Proc<void>[] = [];
    for (const side of [connection.left, connection.right]) {
      const windows = Math.max(1, side.api.dmGeometry.windows);
      for (let window = 0; window < windows; window++)
        threads.push(this.#thread(side, window, this.streamOf(connection, `${side.host} ${window}`)));
    }
    yield* joinAll(threads.map((thread, n) => this.run.processes.spawn(`thread${n}`, thread)));
    yield* this.#afterwards(connection);
  }

  /** The NIC sends what software has written last. */
  *#afterwards({ left, right }: Connection): Proc<void> {
    const [here, there] = [yield* DevicePiece.take(left, BYTES), yield* DevicePiece.take(right, BYTES)];
    yield* left.write(here.buffer, there.buffer);
    this.expectSuccess(yield* left.sent(), 'WRITE');
    this.#report(there.mistake(0, yield* there.copyFrom(0, BYTES), here.held(0, BYTES)));
    for (const piece of [here, there]) yield* piece.giveBack();
  }

  *#thread(side: QpSide, window: number, random: RandomStream): Proc<void> {
    const piece = yield* DevicePiece.take(side, BYTES);
    const thread = side.api.dmThread(piece.dm);
    const expected = Uint8Array.from(piece.held(0, BYTES));
    for (let i = 0; i < 20 * this.count; i++) {
      const at = random.range(0, BYTES - LINE);
      const length = Math.min(random.range(1, LINE), LINE - (at % LINE));
      const offset = select(thread, window, piece.placeOf(at));
      if (random.chance(0.7)) {
        const data = randomBytes(random, length);
        expected.set(data, at);
        thread.aperture.write(offset, data);
      } else {
        const read = yield* thread.aperture.read(offset, length);
        const where = `host ${side.qp.host}, window ${window}, byte ${at} of the piece`;
        this.#report(difference(where, read, { 'was written': expected.subarray(at, at + length) }));
      }
    }
    yield* thread.end();
    const where = `host ${side.qp.host}, window ${window}, the piece`;
    this.#report(difference(where, expected, { 'the chips hold': piece.held(0, BYTES) }));
    yield* piece.giveBack();
  }

  #report(mistake: string): void {
    if (mistake !== '') this.error('SEQ_APERTURE', mistake);
  }
}

/** Where in the aperture a byte of the card is behind the select that this posts. */
function select({ windows, windowBytes, aperture }: DmThread, window: number, card: number): number {
  if (windows === 0) return card;
  aperture.select(window, Math.floor(card / windowBytes));
  return window * windowBytes + (card % windowBytes);
}
