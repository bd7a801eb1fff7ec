import { QP_TYPE } from '../../../rdma/verbs.ts';
import { Event } from '../../../uvm/kernel/event.ts';
import { delay, joinAll, type Proc } from '../../../uvm/kernel/process.ts';
import { PS } from '../../../uvm/kernel/time.ts';
import type { RandomStream } from '../../../uvm/random/randomStream.ts';
import type { Connection } from '../../user/connection.ts';
import { DevicePiece, randomBytes } from '../../user/memory/devicePiece.ts';
import { UserSequence } from '../../user/userSequence.ts';

/** Three pages, which lie in several banks, and part of a fourth. */
const BYTES = 13_000;
const MOST = 6000;
/** Bytes that software writes beside those of the NIC, in the same burst. */
const MOST_BESIDE = 24;

/**
 * Device memory by handle: software writes a piece through the NIC and rings the doorbell at once, the NIC sends it into a piece of its
 * peer, whose software reads it through its NIC as soon as the completion is there, and writes a few bytes beside it
 * meanwhile. What software reads through the NIC is also compared with what the chips hold.
 */
export class DeviceMemory extends UserSequence {
  static readonly typeName: string = 'device_memory';
  static readonly description: string =
    'memory on the card by handle, used by software and the NIC alternately and at once';
  override readonly needs = { capabilities: ['cardMemory', 'zeroBased'] } as const;
  override readonly services = [QP_TYPE.rc];

  override *connection(connection: Connection): Proc<void> {
    const { left, right } = connection;
    const random = this.streamOf(connection, 'ranges');
    const [here, there] = [yield* DevicePiece.take(left, BYTES), yield* DevicePiece.take(right, BYTES)];
    for (let i = 0; i < this.count; i++) {
      yield* this.#turn(here, there, random);
      yield* this.#readBack(here, there, random);
    }
    for (const piece of [here, there]) yield* piece.giveBack();
  }

  /** A WRITE right behind the copy of its data, beside which software of the peer writes some bytes of its own. */
  *#turn(here: DevicePiece, there: DevicePiece, random: RandomStream): Proc<void> {
    const bytes = random.range(1, MOST);
    const data = randomBytes(random, bytes);
    const from = random.range(0, BYTES - bytes);
    const beside = randomBytes(random, random.range(1, MOST_BESIDE));
    const to = random.range(0, BYTES - bytes - beside.length);
    const posted = new Event('data are on the bus');
    const copies = [
      this.run.processes.spawn(
        'copy',
        here.copyTo(from, data, () => posted.trigger()),
      ),
      this.run.processes.spawn('beside', there.copyTo(to + bytes, beside)),
    ];
    // Nobody waits for the end of what is on the bus.
    yield* posted.waitOn();
    yield* delay(PS);
    yield* here.side.write(here.buffer.part(from, bytes), there.buffer.part(to, bytes));
    this.expectSuccess(yield* here.side.sent(), 'WRITE');
    this.#compare(there, to, yield* there.copyFrom(to, bytes), data);
    yield* joinAll(copies);
    this.#compare(there, to + bytes, yield* there.copyFrom(to + bytes, beside.length), beside);
  }

  /** A READ of what a WRITE in front of it brings: behind the write of the card it must see its bytes. */
  *#readBack(here: DevicePiece, there: DevicePiece, random: RandomStream): Proc<void> {
    const bytes = random.range(1, MOST / 2);
    const data = randomBytes(random, bytes);
    const to = random.range(0, BYTES - bytes);
    yield* here.copyTo(0, data);
    yield* here.side.write(here.buffer.part(0, bytes), there.buffer.part(to, bytes));
    yield* here.side.read(here.buffer.part(BYTES - bytes, bytes), there.buffer.part(to, bytes));
    for (const what of ['WRITE', 'READ']) this.expectSuccess(yield* here.side.sent(), what);
    this.#compare(here, BYTES - bytes, yield* here.copyFrom(BYTES - bytes, bytes), data);
  }

  /** What software has read through the NIC is what it should be, and what the chips hold. */
  #compare(piece: DevicePiece, at: number, read: Uint8Array, right: Uint8Array): void {
    const mistake = piece.mistake(at, read, right);
    if (mistake !== '') this.error('SEQ_APERTURE', mistake);
  }
}
