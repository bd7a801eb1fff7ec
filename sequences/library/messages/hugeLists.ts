import { ACCESS, QP_TYPE, WC_STATUS } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { Connection } from '../../user/connection.ts';
import type { QpSide } from '../../user/qpSide.ts';
import { RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import { UserSequence } from '../../user/userSequence.ts';

const GIB = 2 ** 30;
const FOUR_GIB = 4 * GIB;
/** Bytes of a scatter/gather entry at most, and of a message. */
const LONGEST_ENTRY = 2 * GIB - 1;
const LONGEST_MESSAGE = 2 * GIB;
/** Several packets at any MTU. */
const BYTES = 9000;
const RIGHTS = ACCESS.localWrite | ACCESS.remoteWrite | ACCESS.remoteRead;
/** Other buffers lie behind a region of 4 GiB by so much. */
const TAIL = 2 ** 20;

/**
 * Lengths that do not fit in 31 or 32 bits: receives whose lists have room for 2 GiB and more, a region of exactly 4 GiB,
 * and at last a SEND that is longer than a message may be, by a byte on RC and by more than 2 GiB on UC
 * (roce-transport.md 4.2). One connection of each service has such regions: they take many translation entries.
 */
export class HugeLists extends UserSequence {
  static readonly typeName: string = 'huge_lists';
  static readonly description: string =
    'receives with room for 2 GiB and more, a region of exactly 4 GiB, and SENDs that are longer than a message may be';
  override readonly needs = { regionBytes: 2 ** 32 } as const;
  override readonly services = [QP_TYPE.rc, QP_TYPE.uc];

  override get connections(): readonly Connection[] {
    const all = super.connections;
    return all.filter((connection) => all.find(({ type }) => type === connection.type) === connection);
  }

  /** One after the other, so that their lists need not be kept open at the same time. */
  override *body(): Proc<void> {
    for (const connection of this.connections) yield* this.connection(connection);
  }

  override *connection({ type, left, right }: Connection): Proc<void> {
    const source = yield* left.source(BYTES);
    const room = yield* region(right, FOUR_GIB);
    yield* this.#receives(left, right, source, room);
    yield* this.#accesses(type === QP_TYPE.rc, left, source, room);
    yield* right.deregister(room);
    const data = yield* region(left, GIB);
    yield* this.#tooLong(left, data, type === QP_TYPE.rc ? LONGEST_MESSAGE + 1 : FOUR_GIB + BYTES);
    yield* left.deregister(data);
  }

  /** Messages that fill the beginning of their receive. */
  *#receives(left: QpSide, right: QpSide, source: RegisteredBuffer, room: RegisteredBuffer): Proc<void> {
    for (const length of [LONGEST_ENTRY, 2 * GIB, FOUR_GIB, FOUR_GIB + BYTES - 1]) {
      const list = listOf(room, length, LONGEST_ENTRY);
      if (list.length > right.qp.maxSge) continue;
      yield* right.receive(list);
      yield* left.send(source);
      this.expectSuccess(yield* left.sent(), 'SEND');
      this.expectSuccess(yield* right.received(), `receive with room for ${length} bytes`);
    }
  }

  /** At the start of the region, in its middle and up to its last byte. */
  *#accesses(reads: boolean, left: QpSide, source: RegisteredBuffer, room: RegisteredBuffer): Proc<void> {
    const copy = yield* left.sink(BYTES);
    for (const at of [0, 2 * GIB - 9, FOUR_GIB - BYTES]) {
      yield* left.write(source, room.part(at, BYTES));
      this.expectSuccess(yield* left.sent(), 'WRITE');
      if (!reads) continue;
      yield* left.read(copy, room.part(at, BYTES));
      this.expectSuccess(yield* left.sent(), 'READ');
    }
  }

  *#tooLong(left: QpSide, data: RegisteredBuffer, length: number): Proc<void> {
    const list = listOf(data, length, data.length);
    if (list.length > left.qp.maxSge) return;
    yield* left.send(list);
    this.expectStatus(yield* left.sent(), WC_STATUS.locLenErr, `SEND of ${length} bytes`);
  }
}

/** A region from somewhere in the source area of a side on. */
function* region(side: QpSide, length: number): Proc<RegisteredBuffer> {
  yield* side.sink(TAIL); // so that no other buffer lies where the region ends
  const { hi, lo } = yield* side.source(1);
  const mr = yield* side.api.regMr(side.qp.pd, { hi, lo, length, access: RIGHTS });
  return new RegisteredBuffer(hi, lo, length, mr.key, mr);
}

/** A list of `length` bytes in all, whose entries begin anew in the region: it may be shorter than its list. */
function listOf(buffer: RegisteredBuffer, length: number, longest: number): RegisteredBuffer[] {
  const list: RegisteredBuffer[] = [];
  for (let left = length; left > 0; left -= longest) list.push(buffer.part(0, Math.min(left, longest)));
  return list;
}
