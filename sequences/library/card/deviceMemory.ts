import { ACCESS, QP_TYPE } from '../../../rdma/verbs.ts';
import type { Dm } from '../../../env/verbs/dm/dm.ts';
import { delay, joinAll, type Proc } from '../../../uvm/kernel/process.ts';
import { PS } from '../../../uvm/kernel/time.ts';
import type { RandomStream } from '../../../uvm/random/randomStream.ts';
import type { Connection } from '../../user/connection.ts';
import type { QpSide } from '../../user/qpSide.ts';
import { RegisteredBuffer } from '../../user/registeredBuffer.ts';
import { UserSequence } from '../../user/userSequence.ts';

/** Three pages, which lie in several banks, and part of a fourth. */
const BYTES = 13_000;
const MOST = 6000;
/** Bytes that software writes beside those of the NIC, in the same burst. */
const MOST_BESIDE = 24;
const RIGHTS = ACCESS.localWrite | ACCESS.remoteWrite | ACCESS.remoteRead;

/** A piece of device memory of a side, with the region by which the NIC has it. */
interface Piece {
  readonly side: QpSide;
  readonly dm: Dm;
  readonly buffer: RegisteredBuffer;
}

/**
 * Device memory by handle: software writes a piece through the NIC and rings the doorbell at once, the NIC sends it into a piece of its
 * peer, whose software reads it through its NIC as soon as the completion is there, and writes a few bytes beside it
 * meanwhile. What software reads through the NIC is also compared with what the chips hold.
 */
export class DeviceMemory extends UserSequence {
  static readonly typeName: string = 'device_memory';
  static readonly description: string =
    'memory on the card by handle, which software and the NIC use by turns and at once';
  override readonly needs = { capabilities: ['cardMemory', 'zeroBased'] } as const;
  override readonly services = [QP_TYPE.rc];

  override *connection(connection: Connection): Proc<void> {
    const { left, right } = connection;
    const random = this.streamOf(connection, 'ranges');
    const [here, there] = [yield* piece(left), yield* piece(right)];
    for (let i = 0; i < this.count; i++) {
      yield* this.#turn(here, there, random);
      yield* this.#readBack(here, there, random);
    }
    for (const { side, dm, buffer } of [here, there]) {
      yield* side.deregister(buffer);
      side.api.freeDm(dm);
    }
  }

  /** A WRITE right behind the copy of its data, beside which software of the peer writes some bytes of its own. */
  *#turn(here: Piece, there: Piece, random: RandomStream): Proc<void> {
    const bytes = random.range(1, MOST);
    const data = bytesOf(random, bytes);
    const from = random.range(0, BYTES - bytes);
    const beside = bytesOf(random, random.range(1, MOST_BESIDE));
    const to = random.range(0, BYTES - bytes - beside.length);
    const copies = [
      this.run.processes.spawn('copy', copyTo(here, from, data)),
      this.run.processes.spawn('beside', copyTo(there, to + bytes, beside)),
    ];
    // Both have begun: their writes are on the bus, and nobody waits for them.
    yield* delay(PS);
    yield* here.side.write(here.buffer.part(from, bytes), there.buffer.part(to, bytes));
    this.expectSuccess(yield* here.side.sent(), 'WRITE');
    this.#compare(there, to, yield* there.side.api.copyFromDm(there.dm, to, bytes), data);
    yield* joinAll(copies);
    this.#compare(there, to + bytes, yield* there.side.api.copyFromDm(there.dm, to + bytes, beside.length), beside);
  }

  /** A READ of what a WRITE in front of it brings: behind the write of the card it must see its bytes. */
  *#readBack(here: Piece, there: Piece, random: RandomStream): Proc<void> {
    const bytes = random.range(1, MOST / 2);
    const data = bytesOf(random, bytes);
    const to = random.range(0, BYTES - bytes);
    yield* here.side.api.copyToDm(here.dm, 0, data);
    yield* here.side.write(here.buffer.part(0, bytes), there.buffer.part(to, bytes));
    yield* here.side.read(here.buffer.part(BYTES - bytes, bytes), there.buffer.part(to, bytes));
    for (const what of ['WRITE', 'READ']) this.expectSuccess(yield* here.side.sent(), what);
    this.#compare(here, BYTES - bytes, yield* here.side.api.copyFromDm(here.dm, BYTES - bytes, bytes), data);
  }

  /** What software has read through the NIC is what it should be, and what the chips hold. */
  #compare({ side, dm }: Piece, at: number, read: Uint8Array, right: Uint8Array): void {
    const lo = (dm.lo >>> 0) + at;
    const held = side.api.data.read(dm.process, dm.hi, lo | 0, read.length);
    for (const [what, bytes] of Object.entries({ 'was written': right, 'the chips hold': held })) {
      const bad = read.findIndex((byte, i) => byte !== bytes[i]);
      if (bad < 0) continue;
      const where = `host ${side.qp.host}, byte ${at + bad} of device memory`;
      this.error('SEQ_APERTURE', `${where}: software reads ${read[bad]} through the NIC, ${bytes[bad]} ${what}`);
      return;
    }
  }
}

function* piece(side: QpSide): Proc<Piece> {
  const dm = side.api.allocDm(side.qp.process, BYTES);
  const mr = yield* side.api.regDm(side.qp.pd, dm, { access: RIGHTS });
  return { side, dm, buffer: new RegisteredBuffer(0, 0, BYTES, mr.key, mr) };
}

function copyTo({ side, dm }: Piece, at: number, data: Uint8Array): Proc<void> {
  return side.api.copyToDm(dm, at, data);
}

function bytesOf(random: RandomStream, length: number): Uint8Array {
  return Uint8Array.from({ length }, () => random.range(0, 255));
}
