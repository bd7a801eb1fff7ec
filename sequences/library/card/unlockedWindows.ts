import { QP_TYPE } from '../../../rdma/verbs.ts';
import type { DmThread } from '../../../env/verbs/dm/dmThread.ts';
import { joinAll, type Proc } from '../../../uvm/kernel/process.ts';
import type { RandomStream } from '../../../uvm/random/randomStream.ts';
import type { Connection } from '../../user/connection.ts';
import { DevicePiece, randomBytes } from '../../user/memory/devicePiece.ts';
import { UserSequence } from '../../user/userSequence.ts';

/** Enough for pages at the same place of several sub-windows of the smallest card. */
const PAGES = 60;
const PAGE = 4096;
const LINE = 64;
const THREADS = 3;
const WRITES = 40;

/**
 * A negative test: threads share a window without a lock, so that the select of one comes between select and write of another. Data
 * must be found in wrong places, which are those of the other threads, and the card goes on working: with the lock all is right again. In
 * mode FULL there is nothing to share, and all is right at once.
 */
export class UnlockedWindows extends UserSequence {
  static readonly typeName: string = 'unlocked_windows';
  static readonly description: string = 'threads share a window of the aperture without a lock, and misplace data';
  override readonly needs = { capabilities: ['cardMemory', 'zeroBased'] } as const;
  override readonly services = [QP_TYPE.rc];

  #misplaced = 0;

  override *body(): Proc {
    const [connection] = this.connections;
    if (connection === undefined) return;
    const piece = yield* DevicePiece.take(connection.left, PAGES * PAGE);
    const pages = this.#pagesOfThreads(piece);
    if (pages.length === THREADS) yield* this.#unlocked(connection, piece, pages);
    else this.info('SEQ_SKIPPED', 'no pages lie at the same place of different sub-windows: the card is too large');
    const data = randomBytes(this.streamOf(connection, 'with lock'), PAGE * THREADS);
    yield* piece.copyTo(0, data);
    const mistake = piece.mistake(0, yield* piece.copyFrom(0, data.length), data);
    if (mistake !== '') this.error('SEQ_APERTURE', mistake);
    yield* this.#sends(connection, piece);
    yield* piece.giveBack();
  }

  *#sends({ left, right }: Connection, piece: DevicePiece): Proc<void> {
    const there = yield* DevicePiece.take(right, PAGE);
    yield* left.write(piece.buffer.part(0, PAGE), there.buffer);
    this.expectSuccess(yield* left.sent(), 'WRITE');
    yield* there.giveBack();
  }

  *#unlocked(connection: Connection, piece: DevicePiece, pages: readonly number[]): Proc<void> {
    const { api } = piece.side;
    // One opens the bytes of the piece for all.
    const threads = pages.map(() => api.dmThread(piece.dm));
    const storms = pages.map((page, n) =>
      this.#storm(piece, page, threads[n] as DmThread, this.streamOf(connection, `thread ${n}`)),
    );
    yield* joinAll(storms.map((storm, n) => this.run.processes.spawn(`thread${n}`, storm)));
    for (const thread of threads) yield* thread.end();
    const isShared = api.dmGeometry.windows > 0;
    const found = `${this.#misplaced} of ${THREADS * WRITES * this.count} writes are misplaced`;
    if (isShared === this.#misplaced > 0) this.info('SEQ_APERTURE', found);
    else this.error('SEQ_APERTURE', `${found}, ${isShared ? 'some' : 'none'} are to be`);
  }

  /** Select, write, and a read that empties the queue of the thread: another thread may select between the first two. */
  *#storm(piece: DevicePiece, page: number, thread: DmThread, random: RandomStream): Proc<void> {
    const { windows, windowBytes, aperture } = thread;
    for (let i = 0; i < WRITES * this.count; i++) {
      const at = page * PAGE + random.range(0, PAGE / LINE - 1) * LINE;
      const data = randomBytes(random, LINE);
      const card = piece.placeOf(at);
      if (windows > 0) aperture.select(0, Math.floor(card / windowBytes));
      const offset = windows === 0 ? card : card % windowBytes;
      aperture.write(offset, data);
      yield* aperture.read(offset, 1);
      if (piece.held(at, LINE).some((byte, n) => byte !== data[n])) this.#misplaced++;
    }
  }

  /** A page for each thread: at the same place of different sub-windows, so that what is misplaced lies in the page of another. */
  #pagesOfThreads({ side, dm }: DevicePiece): readonly number[] {
    const { windowBytes } = side.api.dmGeometry;
    const byPlace = new Map<number, number[]>();
    for (let page = 0; page < PAGES; page++) {
      const inWindow = side.api.placeOfDm(dm, page * PAGE) % windowBytes;
      byPlace.set(inWindow, [...(byPlace.get(inWindow) ?? []), page]);
    }
    return [...byPlace.values()].find(({ length }) => length >= THREADS)?.slice(0, THREADS) ?? [];
  }
}
