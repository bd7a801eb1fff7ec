import { QP_TYPE } from '../../../rdma/verbs.ts';
import { CARD_ERROR } from '../../../env/providers/deviceMemoryDriver.ts';
import type { DmThread } from '../../../env/verbs/dm/dmThread.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { RandomStream } from '../../../uvm/random/randomStream.ts';
import type { Connection } from '../../user/connection.ts';
import { DevicePiece, difference, randomBytes } from '../../user/memory/devicePiece.ts';
import type { QpSide } from '../../user/qpSide.ts';
import { UserSequence } from '../../user/userSequence.ts';

const BYTES = 9000;
const LINE = 64;

/**
 * Each sub-window of the card by the aperture, one thread on each card: first and last bytes and some between are read in all sub-windows,
 * by each window where there are some, and compared with what the chips hold at that card address; pieces that software has are
 * written so, and nothing else changes.
 */
export class ApertureMap extends UserSequence {
  static readonly typeName: string = 'aperture_map';
  static readonly description: string = 'every sub-window of a card through its aperture, compared with the chips';
  override readonly needs = { capabilities: ['cardMemory', 'zeroBased'] } as const;
  override readonly services = [QP_TYPE.rc];

  override *body(): Proc {
    // Windows are for one thread here.
    for (const connection of this.connections.slice(0, 1)) {
      const { left, right } = connection;
      const [here, there] = [yield* DevicePiece.take(left, BYTES), yield* DevicePiece.take(right, BYTES)];
      for (const piece of [here, there]) yield* this.#card(connection, piece);
      // What software has written so is what the NIC sends.
      yield* left.write(here.buffer, there.buffer);
      this.expectSuccess(yield* left.sent(), 'WRITE');
      this.#report(there.mistake(0, yield* there.copyFrom(0, BYTES), here.held(0, BYTES)));
      for (const piece of [here, there]) yield* piece.giveBack();
    }
  }

  *#card(connection: Connection, piece: DevicePiece): Proc<void> {
    const { side } = piece;
    const random = this.streamOf(connection, `host ${side.host}`);
    const thread = side.api.dmThread(piece.dm);
    const windows = Math.max(1, thread.windows);
    for (let window = 0; window < windows; window++) {
      yield* this.#reads(side, thread, window, random);
      yield* this.#writes(piece, thread, window, random);
    }
    yield* this.#beyond(side, thread);
    yield* thread.end();
  }

  /** Behind the last byte, where the BAR goes on, all ones are read, and the error register says so. */
  *#beyond(side: QpSide, { windows, windowBytes, bytes, aperture }: DmThread): Proc<void> {
    const shown = windows === 0 ? bytes : windows * windowBytes;
    if (shown === side.api.dmGeometry.apertureBytes) return;
    yield* aperture.errors();
    const read = yield* aperture.read(shown, LINE);
    const where = `host ${side.qp.host}, behind the last byte`;
    this.#report(difference(where, read, { 'is to be there': new Uint8Array(LINE).fill(0xff) }));
    const errors = yield* aperture.errors();
    if (errors !== CARD_ERROR.beyond)
      this.#report(`${where}: the error register is ${errors}, expected ${CARD_ERROR.beyond}`);
  }

  *#reads(side: QpSide, thread: DmThread, window: number, random: RandomStream): Proc<void> {
    const { bytes, windowBytes } = thread;
    for (let subWindow = 0; subWindow < bytes / windowBytes; subWindow++) {
      const inWindow = [0, windowBytes - LINE, random.range(0, windowBytes / LINE - 1) * LINE];
      for (const at of inWindow) {
        const card = subWindow * windowBytes + at;
        const read = yield* thread.aperture.read(offsetOf(thread, window, card), LINE);
        const where = `host ${side.qp.host}, window ${window}, byte ${at} of sub-window ${subWindow}`;
        this.#report(difference(where, read, { 'the chips hold': side.api.peekCard(card, LINE) }));
      }
    }
  }

  /** Short writes into the piece, each read back at once: others must not change. */
  *#writes(piece: DevicePiece, thread: DmThread, window: number, random: RandomStream): Proc<void> {
    const expected = Uint8Array.from(piece.held(0, BYTES));
    for (let i = 0; i < 8 * this.count; i++) {
      const at = random.range(0, BYTES - LINE);
      const data = randomBytes(random, Math.min(random.range(1, LINE), LINE - (at % LINE)));
      const offset = offsetOf(thread, window, piece.placeOf(at));
      thread.aperture.write(offset, data);
      expected.set(data, at);
      this.#report(piece.mistake(at, yield* thread.aperture.read(offset, data.length), data));
    }
    this.#report(
      difference(`host ${piece.side.qp.host}, the piece`, expected, { 'the chips hold': piece.held(0, BYTES) }),
    );
  }

  #report(mistake: string): void {
    if (mistake !== '') this.error('SEQ_APERTURE', mistake);
  }
}

/** Where in the aperture a byte of the card is, once a window shows it. */
function offsetOf({ windows, windowBytes, aperture }: DmThread, window: number, card: number): number {
  if (windows === 0) return card;
  aperture.select(window, Math.floor(card / windowBytes));
  return window * windowBytes + (card % windowBytes);
}
