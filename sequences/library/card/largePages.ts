import { QP_TYPE } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { RandomStream } from '../../../uvm/random/randomStream.ts';
import type { Connection } from '../../user/connection.ts';
import { DevicePiece, randomBytes } from '../../user/memory/devicePiece.ts';
import type { QpSide } from '../../user/qpSide.ts';
import { UserSequence } from '../../user/userSequence.ts';

const LARGE_LOG = 21;
const SMALL_LOG = 12;
/** Of a message, and in front of the region that begins amid a page; both are a quarter of a page at most. */
const MOST = 9000;
const MOST_AHEAD = 3 * 2 ** SMALL_LOG;

/** Device memory of a side, with a region of each kind over it. */
interface Side {
  /** Bytes of a page; there are two, and half of a third. */
  readonly page: number;
  readonly whole: DevicePiece;
  readonly regions: readonly DevicePiece[];
  /** Where each region begins. */
  readonly starts: readonly number[];
}

/**
 * Device memory in pages of 2 MiB, each of which lies together somewhere on the card: regions whose translation has an entry for each of
 * these pages, also one that begins amid a page, and a region of the same bytes with an entry for each 4 KiB. Messages cross the
 * ends of pages, or lie anywhere; each byte is looked for through the NIC, and in the chips. A small card has pages of 4 KiB alone.
 */
export class LargePages extends UserSequence {
  static readonly typeName: string = 'large_pages';
  static readonly description: string =
    'device memory in pages of 2 MiB, which cards with +NIC_SUB_WINDOW_LOG=22 or more have, and of 4 KiB';
  override readonly needs = { capabilities: ['cardMemory', 'zeroBased'] } as const;
  override readonly services = [QP_TYPE.rc];

  override *connection(connection: Connection): Proc<void> {
    const random = this.streamOf(connection, 'ranges');
    const here = yield* this.#take(connection.left, random);
    const there = yield* this.#take(connection.right, random);
    for (let i = 0; i < this.count; i++) yield* this.#turn(here, there, random);
    for (const { whole, regions } of [here, there]) {
      for (const { side, buffer } of regions) if (buffer !== whole.buffer) yield* side.deregister(buffer);
      yield* whole.giveBack();
    }
  }

  *#take(side: QpSide, random: RandomStream): Proc<Side> {
    const pageLog = side.api.dmGeometry.largeBytes > 0 ? LARGE_LOG : SMALL_LOG;
    const page = 2 ** pageLog;
    const bytes = bytesOf(page);
    const dm = side.api.allocDm(side.qp.process, bytes, { pageLog });
    const whole = yield* DevicePiece.of(side, dm, 0, bytes);
    const ahead = random.range(1, Math.min(MOST_AHEAD, page / 4));
    const regions = [
      yield* DevicePiece.of(side, dm, 0, bytes, { pageLog: SMALL_LOG }),
      yield* DevicePiece.of(side, dm, ahead, bytes - ahead, { pageLog }),
    ];
    for (let at = 0; at < bytes; at += page) {
      const lies = whole.placeOf(at);
      if (lies % page !== 0) this.error('SEQ_APERTURE', `host ${side.host}: a page of ${page} bytes lies at ${lies}`);
    }
    return { page, whole, regions: [whole, ...regions], starts: [0, 0, ahead] };
  }

  /** Data go there by WRITE, and back by READ, by regions and to places that are drawn. */
  *#turn(here: Side, there: Side, random: RandomStream): Proc<void> {
    const { page } = here;
    const bytes = random.range(1, Math.min(MOST, page / 4));
    const data = randomBytes(random, bytes);
    const [from, to, back] = [place(random, page, bytes), place(random, page, bytes), place(random, page, bytes)];
    yield* here.whole.copyTo(from, data);
    const { side } = here.whole;
    yield* side.write(part(here, from, bytes, random), part(there, to, bytes, random));
    this.expectSuccess(yield* side.sent(), 'WRITE');
    yield* this.#compare(there.whole, to, data);
    yield* side.read(part(here, back, bytes, random), part(there, to, bytes, random));
    this.expectSuccess(yield* side.sent(), 'READ');
    yield* this.#compare(here.whole, back, data);
  }

  *#compare(piece: DevicePiece, at: number, right: Uint8Array): Proc<void> {
    const mistake = piece.mistake(at, yield* piece.copyFrom(at, right.length), right);
    if (mistake !== '') this.error('SEQ_APERTURE', mistake);
  }
}

/** Across the end of a page, or anywhere behind the start of the region that begins last. */
function place(random: RandomStream, page: number, bytes: number): number {
  if (random.chance(0.4)) return page * random.range(1, 2) - random.range(0, bytes);
  return random.range(page / 4, bytesOf(page) - bytes);
}

function bytesOf(page: number): number {
  return 2.5 * page;
}

/** The same bytes by any of the regions. */
function part({ regions, starts }: Side, at: number, bytes: number, random: RandomStream): DevicePiece['buffer'] {
  const n = random.range(0, regions.length - 1);
  return (regions[n] as DevicePiece).buffer.part(at - (starts[n] as number), bytes);
}
