import { QP_TYPE } from '../../../rdma/verbs.ts';
import { joinAll, type Proc } from '../../../uvm/kernel/process.ts';
import type { RandomStream } from '../../../uvm/random/randomStream.ts';
import type { Connection } from '../../user/connection.ts';
import { DevicePiece, randomBytes } from '../../user/memory/devicePiece.ts';
import { UserSequence } from '../../user/userSequence.ts';

/** Pieces of neighbours cross the ends of sub-windows, also of the smallest card. */
const BYTES = 17_000;
const MOST = 900;
/** Threads of each side, each with a piece of its own. */
const THREADS = 2;
/** Copies of a thread for each request of the NIC. */
const COPIES = 4;

/**
 * Many threads of software copy to and from pieces of device memory at once, by the windows of the driver, while the NIC moves data
 * between two other pieces: each thread reads back what it has written, and the NIC sends what is there, whatever the windows show.
 */
export class WindowStorm extends UserSequence {
  static readonly typeName: string = 'window_storm';
  static readonly description: string =
    'many threads copy through the windows of the aperture while the NIC moves data between other pieces';
  override readonly needs = { capabilities: ['cardMemory', 'zeroBased'] } as const;
  override readonly services = [QP_TYPE.rc];

  override *connection(connection: Connection): Proc<void> {
    const { left, right } = connection;
    const [here, there] = [yield* DevicePiece.take(left, BYTES), yield* DevicePiece.take(right, BYTES)];
    const pieces: DevicePiece[] = [];
    for (let n = 0; n < THREADS; n++)
      for (const side of [left, right]) pieces.push(yield* DevicePiece.take(side, BYTES));
    const threads = pieces.map((piece, n) =>
      this.run.processes.spawn(`thread${n}`, this.#thread(piece, this.streamOf(connection, `thread ${n}`))),
    );
    yield* this.#traffic(here, there, this.streamOf(connection, 'traffic'));
    yield* joinAll(threads);
    for (const piece of [here, there, ...pieces]) yield* piece.giveBack();
  }

  /** Writes and reads back, ranges of any length and alignment; what it did not write stays. */
  *#thread(piece: DevicePiece, random: RandomStream): Proc<void> {
    const expected = Uint8Array.from(piece.held(0, BYTES));
    for (let i = 0; i < COPIES * this.count; i++) {
      const [at, bytes] = range(random);
      if (random.chance(0.6)) {
        const data = randomBytes(random, bytes);
        expected.set(data, at);
        yield* piece.copyTo(at, data);
      }
      this.#compare(piece, at, yield* piece.copyFrom(at, bytes), expected.subarray(at, at + bytes));
    }
    const end = piece.held(0, BYTES);
    const bad = end.findIndex((byte, i) => byte !== expected[i]);
    if (bad >= 0)
      this.error(
        'SEQ_APERTURE',
        `host ${piece.side.qp.host}: byte ${bad} of a piece is not what its thread has written`,
      );
  }

  /** WRITEs and READs between two pieces, of data that software has put there. */
  *#traffic(here: DevicePiece, there: DevicePiece, random: RandomStream): Proc<void> {
    for (let i = 0; i < this.count; i++) {
      const bytes = random.range(1, BYTES);
      const data = randomBytes(random, Math.min(bytes, MOST));
      yield* here.copyTo(0, data);
      yield* here.side.write(here.buffer.part(0, bytes), there.buffer.part(BYTES - bytes, bytes));
      this.expectSuccess(yield* here.side.sent(), 'WRITE');
      this.#compare(there, BYTES - bytes, yield* there.copyFrom(BYTES - bytes, data.length), data);
      yield* here.side.read(here.buffer.part(0, bytes), there.buffer.part(0, bytes));
      this.expectSuccess(yield* here.side.sent(), 'READ');
    }
  }

  #compare(piece: DevicePiece, at: number, read: Uint8Array, right: Uint8Array): void {
    const mistake = piece.mistake(at, read, right);
    if (mistake !== '') this.error('SEQ_APERTURE', mistake);
  }
}

function range(random: RandomStream): readonly [at: number, bytes: number] {
  const bytes = random.range(1, MOST);
  return [random.range(0, BYTES - bytes), bytes];
}
