import { ACCESS, QP_TYPE } from '../../../rdma/verbs.ts';
import { HostApiError } from '../../../env/verbs/hostErrors.ts';
import { CARD_ERROR } from '../../../env/providers/deviceMemoryDriver.ts';
import type { DmThread } from '../../../env/verbs/dm/dmThread.ts';
import { delay, type Proc } from '../../../uvm/kernel/process.ts';
import { US } from '../../../uvm/kernel/time.ts';
import type { RandomStream } from '../../../uvm/random/randomStream.ts';
import type { Connection } from '../../user/connection.ts';
import { DevicePiece, difference, randomBytes } from '../../user/memory/devicePiece.ts';
import { UserSequence } from '../../user/userSequence.ts';

const BYTES = 4096;
const LINE = 64;
/** Bits of a select that mean nothing. */
const RESERVED = [64, 128, 1 << 15, 2 ** 31];
const ALL_BANKS = 0xf;

/**
 * What a card must refuse: selects with reserved bits, accesses to banks that are not calibrated, regions by an address in a window. The
 * error register says what was refused, and the card goes on working.
 */
export class ApertureMisuse extends UserSequence {
  static readonly typeName: string = 'aperture_misuse';
  static readonly description: string =
    'reserved selects, banks that are not calibrated, regions by an address in a window';
  override readonly needs = { capabilities: ['cardMemory', 'zeroBased'] } as const;
  override readonly services = [QP_TYPE.rc];

  override *body(): Proc {
    const [connection] = this.connections;
    if (connection === undefined) return;
    const random = this.streamOf(connection, 'data');
    const piece = yield* DevicePiece.take(connection.left, BYTES);
    const thread = connection.left.api.dmThread(piece.dm);
    yield* thread.aperture.errors();
    for (let window = 0; window < thread.windows; window++) yield* this.#selects(thread, window, random);
    yield* this.#calibration(piece, thread, random);
    yield* thread.end();
    yield* this.#byAddress(piece);
    yield* this.#works(connection, piece, random);
    yield* piece.giveBack();
  }

  /** A select with reserved bits changes nothing. */
  *#selects({ aperture }: DmThread, window: number, random: RandomStream): Proc<void> {
    const right = random.range(0, 63);
    aperture.select(window, right);
    for (const reserved of RESERVED) {
      aperture.select(window, reserved + random.range(0, 63));
      this.#expect('the error register', yield* aperture.errors(), CARD_ERROR.select);
      this.#expect(`the select of window ${window}`, yield* aperture.selected(window), right);
    }
  }

  /** Banks are calibrated anew: until then, writes are dropped, and all ones are read. */
  *#calibration(piece: DevicePiece, { windows, windowBytes, aperture }: DmThread, random: RandomStream): Proc<void> {
    const card = piece.placeOf(0);
    if (windows > 0) aperture.select(0, Math.floor(card / windowBytes));
    const offset = windows === 0 ? card : card % windowBytes;
    const data = randomBytes(random, LINE);
    aperture.write(offset, data);
    yield* aperture.read(offset, LINE);
    aperture.calibrate(ALL_BANKS);
    if ((yield* aperture.calibrated()) !== ALL_BANKS) {
      aperture.write(offset, randomBytes(random, LINE));
      const read = yield* aperture.read(offset, LINE);
      this.#report(difference('before calibration', read, { 'is to be read': new Uint8Array(LINE).fill(0xff) }));
      this.#expect('the error register before calibration', yield* aperture.errors(), CARD_ERROR.uncalibrated);
    }
    while ((yield* aperture.calibrated()) !== ALL_BANKS) yield* delay(US);
    this.#report(difference('after calibration', yield* aperture.read(offset, LINE), { 'was written before': data }));
  }

  /** A region by the address of the aperture: of one with windows it is refused. */
  *#byAddress({ side, dm }: DevicePiece): Proc<void> {
    const isWindowed = side.api.dmGeometry.windows > 0;
    const request = { access: ACCESS.localWrite, byAddress: true };
    try {
      const mr = yield* side.api.regDm(side.qp.pd, dm, request);
      if (isWindowed) this.#report('a region by an address in a window is not refused');
      yield* side.api.deregMr(mr);
    } catch (error) {
      if (!(error instanceof HostApiError) || !isWindowed) throw error;
    }
  }

  *#works({ left, right }: Connection, piece: DevicePiece, random: RandomStream): Proc<void> {
    const there = yield* DevicePiece.take(right, BYTES);
    const data = randomBytes(random, BYTES);
    yield* piece.copyTo(0, data);
    yield* left.write(piece.buffer, there.buffer);
    this.expectSuccess(yield* left.sent(), 'WRITE');
    this.#report(there.mistake(0, yield* there.copyFrom(0, BYTES), data));
    yield* there.giveBack();
  }

  #expect(what: string, found: number, expected: number): void {
    if (found !== expected) this.#report(`${what} is ${found}, expected ${expected}`);
  }

  #report(mistake: string): void {
    if (mistake !== '') this.error('SEQ_APERTURE', mistake);
  }
}
