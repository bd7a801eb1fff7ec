import { ASYNC_EVENT, QP_TYPE, WC_STATUS } from '../../../rdma/verbs.ts';
import { delay, joinAll, type Proc } from '../../../uvm/kernel/process.ts';
import { US } from '../../../uvm/kernel/time.ts';
import type { RandomStream } from '../../../uvm/random/randomStream.ts';
import type { Connection } from '../../user/connection.ts';
import { DevicePiece, randomBytes } from '../../user/memory/devicePiece.ts';
import { UserSequence } from '../../user/userSequence.ts';

const BYTES = 9000;
const MOST = 600;
const PAGE = 4096;
/** Turns of traffic for each relocation. */
const TURNS = 4;
const APERTURE = 2;
/** Regions of before the reset. */
const OLD_KEYS = 8;
/** Longest pause between relocations. */
const PAUSE = 20;

/**
 * BARs of cards: their sizes and types are what the card is built with, and while software copies, rings doorbells and gives commands
 * they are given other places. Then the card of the second host is reset by its configuration space, and opened again at other places:
 * windows show sub-window 0, keys of before open nothing, and all works.
 */
export class BarsMoved extends UserSequence {
  static readonly typeName: string = 'bars_moved';
  static readonly description: string = 'BARs that are relocated during traffic, and by a function-level reset';
  override readonly needs = { capabilities: ['cardMemory', 'zeroBased', 'naks'], nicReset: true } as const;
  override readonly services = [QP_TYPE.rc];

  #isMoving = true;

  override *body(): Proc {
    const [connection] = this.connections;
    if (connection === undefined) return;
    for (const { api } of [connection.left, connection.right]) yield* this.#sizes(api);
    const movers = [connection.left, connection.right].map((side, n) =>
      this.run.processes.spawn(`mover${n}`, this.#moves(side.api, this.streamOf(connection, `mover ${n}`))),
    );
    yield* this.forEachConnection((each) => this.#traffic(each));
    this.#isMoving = false;
    yield* joinAll(movers);
    yield* this.#reset(connection);
  }

  /** What firmware has found: all 64 bits, naturally aligned, the aperture prefetchable and as large as the card says. */
  *#sizes({ pci, dmGeometry, host }: Api): Proc {
    const aperture = pci.bars.find(({ bar }) => bar === APERTURE);
    if (aperture?.bytes !== dmGeometry.apertureBytes || !aperture.prefetchable || !aperture.is64)
      this.#report(
        `host ${host}: the aperture is ${JSON.stringify(aperture)}, expected ${dmGeometry.apertureBytes} bytes`,
      );
    for (const { bar, bytes } of pci.bars)
      if (!(bytes >= PAGE && Number.isInteger(Math.log2(bytes))))
        this.#report(`host ${host}: BAR ${bar} has ${bytes} bytes`);
    const identity = yield* pci.configRead(0);
    if (identity === -1 || identity === 0) this.#report(`host ${host}: the identity is ${identity}`);
  }

  *#moves({ pci }: Api, random: RandomStream): Proc {
    while (this.#isMoving) {
      yield* pci.relocate();
      yield* delay(random.range(1, PAUSE) * US);
    }
  }

  /** Copies, doorbells, and commands that register. */
  *#traffic(connection: Connection): Proc<void> {
    const { left, right } = connection;
    const random = this.streamOf(connection, 'ranges');
    for (let i = 0; i < this.count; i++) {
      const [here, there] = [yield* DevicePiece.take(left, BYTES), yield* DevicePiece.take(right, BYTES)];
      for (let turn = 0; turn < TURNS; turn++) yield* this.#turn(here, there, random);
      for (const piece of [here, there]) yield* piece.giveBack();
    }
  }

  *#turn(here: DevicePiece, there: DevicePiece, random: RandomStream): Proc<void> {
    const bytes = random.range(1, MOST);
    const [from, to] = [random.range(0, BYTES - bytes), random.range(0, BYTES - bytes)];
    const data = randomBytes(random, bytes);
    yield* here.copyTo(from, data);
    yield* here.side.write(here.buffer.part(from, bytes), there.buffer.part(to, bytes));
    this.expectSuccess(yield* here.side.sent(), 'WRITE');
    this.#report(there.mistake(to, yield* there.copyFrom(to, bytes), data));
  }

  /** The card of the right side is reset: selects and keys of before are gone, its bytes are there. */
  *#reset(connection: Connection): Proc {
    const { left, right } = connection;
    const random = this.streamOf(connection, 'reset');
    const data = randomBytes(random, MOST);
    const first = yield* DevicePiece.take(right, BYTES);
    yield* first.copyTo(0, data);
    // Keys may be given again, from the first on.
    let last = first;
    for (let i = 0; i < OLD_KEYS; i++) last = yield* DevicePiece.take(right, PAGE);
    const thread = right.api.dmThread(first.dm);
    for (let window = 0; window < thread.windows; window++) thread.aperture.select(window, random.range(1, 63));
    yield* thread.end();
    const told = this.run.processes.spawn('told', this.#told(right.api));
    this.link.fault(`nic_reset host=${right.host} from=${Math.ceil(this.run.scheduler.now / 1000) + 1}ns`);
    yield* joinAll([told]);
    yield* this.quiet();
    yield* this.reopen(right.host);
    const [here, there] = [yield* DevicePiece.take(left, BYTES), yield* DevicePiece.take(right, BYTES)];
    yield* this.#selects(there);
    this.#report(there.mistake(0, yield* there.copyFrom(0, MOST), data));
    yield* this.#turn(here, there, random);
    yield* left.write(here.buffer.part(0, 1), last.buffer.part(0, 1).unchecked());
    this.expectStatus(yield* left.sent(), WC_STATUS.remAccessErr, 'WRITE with a key of before the reset');
    for (const piece of [here, there]) yield* piece.giveBack();
  }

  /** Each window shows sub-window 0. */
  *#selects(piece: DevicePiece): Proc {
    const { api, host } = piece.side;
    const thread = api.dmThread(piece.dm);
    for (let window = 0; window < thread.windows; window++) {
      const shown = yield* thread.aperture.selected(window);
      if (shown !== 0) this.#report(`host ${host}: window ${window} shows sub-window ${shown} after the reset`);
    }
    yield* thread.end();
  }

  /** Its driver is told. */
  *#told(api: Api): Proc {
    for (;;) if ((yield* api.waitAsyncEvent()).event === ASYNC_EVENT.deviceFatal) return;
  }

  #report(mistake: string): void {
    if (mistake !== '') this.error('SEQ_APERTURE', mistake);
  }
}

type Api = Connection['left']['api'];
