import { QP_TYPE } from '../../../rdma/verbs.ts';
import type { BankBytes } from '../../../env/providers/deviceMemoryDriver.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { RandomStream } from '../../../uvm/random/randomStream.ts';
import { DevicePiece, difference, randomBytes } from '../../user/memory/devicePiece.ts';
import { UserSequence } from '../../user/userSequence.ts';

const PAGE = 4096;
/** Crosses many units of an interleaved card, and whole pages of all banks. */
const BYTES = 12 * PAGE;

/**
 * How a card spreads its memory over banks: software fills pieces, the NIC sends them in ranges of any alignment, each byte of both is
 * found at its card address by the back door, and the counters of the card are what the chips of each bank were asked for.
 */
export class BankCounters extends UserSequence {
  static readonly typeName: string = 'bank_counters';
  static readonly description: string =
    'ranges over all banks of a card, each byte at its address, and the counters of the banks';
  override readonly needs = { capabilities: ['cardMemory', 'zeroBased'] } as const;
  override readonly services = [QP_TYPE.rc];

  override *body(): Proc {
    // Counters are those of the whole card.
    const [connection] = this.connections;
    if (connection === undefined) return;
    const { left, right } = connection;
    const random = this.streamOf(connection, 'ranges');
    const [here, there] = [yield* DevicePiece.take(left, BYTES), yield* DevicePiece.take(right, BYTES)];
    const before = [yield* this.#counters(here), yield* this.#counters(there)];
    yield* here.copyTo(0, randomBytes(random, BYTES));
    yield* there.copyTo(0, randomBytes(random, BYTES));
    for (let i = 0; i < this.count; i++) yield* this.#send(here, there, random);
    for (const [n, piece] of [here, there].entries()) {
      this.#eachByte(piece);
      this.#compare(piece, before[n] as Counters, yield* this.#counters(piece));
      yield* piece.giveBack();
    }
  }

  *#send(here: DevicePiece, there: DevicePiece, random: RandomStream): Proc<void> {
    const bytes = random.range(1, BYTES);
    const [from, to] = [random.range(0, BYTES - bytes), random.range(0, BYTES - bytes)];
    const expected = Uint8Array.from(here.held(from, bytes));
    yield* here.side.write(here.buffer.part(from, bytes), there.buffer.part(to, bytes));
    this.expectSuccess(yield* here.side.sent(), 'WRITE');
    this.#report(difference(`host ${there.side.qp.host}`, expected, { 'the chips hold': there.held(to, bytes) }));
  }

  /** Each byte lies where the geometry of the card has its address. */
  #eachByte(piece: DevicePiece): void {
    for (let page = 0; page < BYTES / PAGE; page++) {
      const held = piece.held(page * PAGE, PAGE);
      const found = piece.side.api.peekCard(piece.placeOf(page * PAGE), PAGE);
      this.#report(
        difference(`host ${piece.side.qp.host}, page ${page} of a piece`, held, { 'lies at its address': found }),
      );
    }
  }

  *#counters(piece: DevicePiece): Proc<Counters> {
    const { api } = piece.side;
    const thread = api.dmThread(piece.dm);
    const counted = yield* thread.aperture.counters(api.dmGeometry.traffic.length);
    const asked = api.dmGeometry.traffic.map((bank) => ({ ...bank }));
    yield* thread.end();
    return { counted, asked };
  }

  #compare({ side }: DevicePiece, before: Counters, after: Counters): void {
    for (const [bank, counted] of after.counted.entries())
      for (const what of ['readBytes', 'writtenBytes'] as const) {
        const since = (list: readonly BankBytes[]): number => list[bank]?.[what] ?? 0;
        const [found, right] = [counted[what] - since(before.counted), since(after.asked) - since(before.asked)];
        if (found !== right)
          this.#report(`host ${side.qp.host}: bank ${bank} counts ${found} ${what}, its chips were asked for ${right}`);
      }
  }

  #report(mistake: string): void {
    if (mistake !== '') this.error('SEQ_APERTURE', mistake);
  }
}

/** What the card has counted at each bank, and what its chips were asked for. */
interface Counters {
  readonly counted: readonly BankBytes[];
  readonly asked: readonly BankBytes[];
}
