import { ACCESS, QP_TYPE } from '../../../rdma/verbs.ts';
import type { RandomStream } from '../../../uvm/random/randomStream.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { Connection } from '../../user/connection.ts';
import type { QpSide } from '../../user/qpSide.ts';
import { RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import { UserSequence } from '../../user/userSequence.ts';

const FOUR_GIB = 2 ** 32;
/** Several packets at most MTUs, and some pages. */
const BYTES = 9000;
/** A region ends so many bytes behind its first 4 GiB. */
const TAIL = [2 * BYTES, 2 ** 20] as const;
const RIGHTS = ACCESS.localWrite | ACCESS.remoteWrite | ACCESS.remoteRead;
/** Connections of a run that have such regions: each takes a million translation entries of a NIC. */
const MOST = 2;

/**
 * Regions of more than 4 GiB, so that neither a length nor a distance from the start of the region fits into 32 bits:
 * WRITEs, READs, SENDs and receives at the start, across the first 4 GiB, behind them and up to the last byte, and a
 * WRITE that must be refused, since it lies behind the end, or 4 GiB behind something that may be written. On the second
 * connection the regions are zero-based.
 */
export class LargeRegions extends UserSequence {
  static readonly typeName: string = 'large_regions';
  static readonly description: string = 'requests in memory regions of more than 4 GiB; +RC_QP_NUM=2 plays all cases';
  override readonly needs = { regionBytes: 2 ** 32 } as const;
  override readonly services = [QP_TYPE.rc, QP_TYPE.uc];

  override get connections(): readonly Connection[] {
    return super.connections.slice(0, MOST);
  }

  override *connection(connection: Connection): Proc<void> {
    const { index, left, right } = connection;
    const random = this.streamOf(connection, 'ranges');
    const zeroBased = index % 2 === 1;
    const here = yield* large(left, random, zeroBased);
    const there = yield* large(right, random, zeroBased);
    const bytes = random.range(2, BYTES);
    const [from, to] = [places(here, bytes, random), places(there, bytes, random)];
    random.shuffle(from);
    for (const [i, at] of to.entries()) yield* this.#exchange(connection, from[i] as RegisteredBuffer, at);
    const last = to.at(-1) as RegisteredBuffer;
    yield* left.write(from[0] as RegisteredBuffer, last.moved(zeroBased ? FOUR_GIB : 1));
    yield* this.expectRefused(connection, 'responder', 'WRITE behind a region of more than 4 GiB');
    yield* left.deregister(here);
    yield* right.deregister(there);
  }

  /** What lies at one place of the left side goes to one of the right side, and comes back on RC. */
  *#exchange({ type, left, right }: Connection, own: RegisteredBuffer, other: RegisteredBuffer): Proc<void> {
    yield* right.receive(other);
    yield* left.send(own);
    this.expectSuccess(yield* left.sent(), 'SEND');
    this.expectSuccess(yield* right.received(), 'receive');
    yield* left.write(own, other);
    this.expectSuccess(yield* left.sent(), 'WRITE');
    if (type !== QP_TYPE.rc) return;
    yield* left.read(own, other);
    this.expectSuccess(yield* left.sent(), 'READ');
  }
}

/** A region from somewhere in the first page of the source area of a side to behind the start of its other area. */
function* large(side: QpSide, random: RandomStream, zeroBased: boolean): Proc<RegisteredBuffer> {
  yield* side.sink(TAIL[1]); // so that no other buffer lies where the region ends
  const { hi, lo } = yield* side.source(1);
  const length = FOUR_GIB + random.range(...TAIL);
  const mr = yield* side.api.regMr(side.qp.pd, { hi, lo, length, access: RIGHTS, zeroBased });
  return zeroBased ? new RegisteredBuffer(0, 0, length, mr.key, mr) : new RegisteredBuffer(hi, lo, length, mr.key, mr);
}

/** Parts of a region: at its start, across its 4 GiB, across those of the address space, behind them, at its end. */
function places(region: RegisteredBuffer, bytes: number, random: RandomStream): RegisteredBuffer[] {
  const carry = FOUR_GIB - (region.lo >>> 0);
  const across = (at: number): number => Math.min(at - random.range(1, bytes - 1), region.length - bytes);
  const starts = [0, across(FOUR_GIB), across(carry), FOUR_GIB + random.range(0, BYTES), region.length - bytes];
  return starts.map((start) => region.part(start, bytes));
}
