/** A piece of device memory of a side, with the region by which the NIC has it, and how it is compared. */
import { ACCESS } from '../../../rdma/verbs.ts';
import type { Dm, DmRange } from '../../../env/verbs/dm/dm.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { RandomStream } from '../../../uvm/random/randomStream.ts';
import { carried } from '../../../uvm/bytes/words.ts';
import type { QpSide } from '../qpSide.ts';
import { RegisteredBuffer } from './registeredBuffer.ts';

const RIGHTS = ACCESS.localWrite | ACCESS.remoteWrite | ACCESS.remoteRead;

export class DevicePiece {
  readonly side: QpSide;
  readonly dm: Dm;
  /** Its zero-based region. */
  readonly buffer: RegisteredBuffer;

  /** Of its first byte in the handle. */
  readonly #offset: number;

  private constructor(side: QpSide, dm: Dm, offset: number, buffer: RegisteredBuffer) {
    this.#offset = offset;
    this.side = side;
    this.dm = dm;
    this.buffer = buffer;
  }

  static *take(side: QpSide, bytes: number): Proc<DevicePiece> {
    return yield* DevicePiece.of(side, side.api.allocDm(side.qp.process, bytes), 0, bytes);
  }

  /** A part of a handle that the sequence has: ranges count from its start. @param pages of its region */
  static *of(
    side: QpSide,
    dm: Dm,
    offset: number,
    length: number,
    pages: Pick<DmRange, 'pageLog'> = {},
  ): Proc<DevicePiece> {
    const mr = yield* side.api.regDm(side.qp.pd, dm, { offset, length, access: RIGHTS, ...pages });
    return new DevicePiece(side, dm, offset, new RegisteredBuffer(0, 0, length, mr.key, mr));
  }

  /** Of a whole handle, which is freed. */
  *giveBack(): Proc<void> {
    yield* this.side.deregister(this.buffer);
    this.side.api.freeDm(this.dm);
  }

  /** Where on the card a byte of it lies. */
  placeOf(at: number): number {
    return this.side.api.placeOfDm(this.dm, this.#offset + at);
  }

  /** Software writes bytes through the NIC. */
  copyTo(at: number, data: Uint8Array, posted?: () => void): Proc<void> {
    return this.side.api.copyToDm(this.dm, this.#offset + at, data, posted);
  }

  /** Software reads bytes through the NIC. */
  copyFrom(at: number, length: number): Proc<Uint8Array> {
    return this.side.api.copyFromDm(this.dm, this.#offset + at, length);
  }

  /** What the chips hold. */
  held(at: number, length: number): Uint8Array {
    const { process, hi, lo } = this.dm;
    const from = (lo >>> 0) + this.#offset + at;
    return this.side.api.data.read(process, carried(hi, from), from | 0, length);
  }

  /** What is wrong with bytes that software has read through the NIC from byte `at` on, in a sentence; '' for nothing. */
  mistake(at: number, read: Uint8Array, written: Uint8Array): string {
    const where = `host ${this.side.qp.host}, device memory from byte ${at} on`;
    return (
      difference(where, read, { 'was written': written }) ||
      difference(where, read, { 'the chips hold': this.held(at, read.length) })
    );
  }
}

/** The first byte that software has read otherwise than it should be, in a sentence; '' where there is none. */
export function difference(where: string, read: Uint8Array, right: Readonly<Record<string, Uint8Array>>): string {
  for (const [what, bytes] of Object.entries(right)) {
    const bad = read.findIndex((byte, i) => byte !== bytes[i]);
    if (bad >= 0) return `${where}: byte ${bad} is read as ${read[bad]} through the NIC, ${bytes[bad]} ${what}`;
  }
  return '';
}

export function randomBytes(random: RandomStream, length: number): Uint8Array {
  return Uint8Array.from({ length }, () => random.range(0, 255));
}
