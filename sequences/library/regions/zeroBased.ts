import { ACCESS, QP_TYPE } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { Connection } from '../../user/connection.ts';
import type { QpSide } from '../../user/qpSide.ts';
import { RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import { UserSequence } from '../../user/userSequence.ts';

/** Three pages, and part of a fourth. */
const BYTES = 13_000;
/** Where a region may begin within its page at most. */
const PAGE = 4096;
const MOST = 5000;
const RIGHTS = ACCESS.localWrite | ACCESS.remoteWrite | ACCESS.remoteRead;

/**
 * Requests to, from and out of zero-based regions that begin within a page: what their keys open is addressed by the
 * distance from the first byte of the region (roce-transport.md 4.4).
 */
export class ZeroBased extends UserSequence {
  static readonly typeName: string = 'zero_based';
  static readonly description: string = 'requests to zero-based regions';
  override readonly needs = { capabilities: ['zeroBased'] } as const;
  override readonly services = [QP_TYPE.rc, QP_TYPE.uc];

  override *connection(connection: Connection): Proc<void> {
    const { left, right } = connection;
    const random = this.streamOf(connection, 'ranges');
    const skip = () => random.range(1, PAGE - 1);
    const [own, copy] = [yield* offsets(left, skip()), yield* offsets(left, skip())];
    const [target, sink] = [yield* offsets(right, skip()), yield* offsets(right, skip())];
    for (let i = 0; i < this.count; i++) {
      const bytes = random.range(1, MOST);
      const part = (buffer: RegisteredBuffer) => buffer.part(random.range(0, BYTES - bytes), bytes);
      yield* this.#write(connection, part(own), part(target), part(copy));
      yield* right.receive(part(sink));
      yield* left.send(part(own));
      this.expectSuccess(yield* left.sent(), 'SEND');
      this.expectSuccess(yield* right.received(), 'receive');
    }
    for (const buffer of [own, copy]) yield* left.deregister(buffer);
    for (const buffer of [target, sink]) yield* right.deregister(buffer);
  }

  /** A WRITE, and on RC a READ of what it wrote. */
  *#write(
    { type, left }: Connection,
    data: RegisteredBuffer,
    target: RegisteredBuffer,
    copy: RegisteredBuffer,
  ): Proc<void> {
    yield* left.write(data, target);
    this.expectSuccess(yield* left.sent(), 'WRITE');
    if (type !== QP_TYPE.rc) return;
    yield* left.read(copy, target);
    this.expectSuccess(yield* left.sent(), 'READ');
  }
}

/** A zero-based region of a side that begins so many bytes behind the start of a buffer, as a range of offsets. */
function* offsets(side: QpSide, skip: number): Proc<RegisteredBuffer> {
  const { hi, lo, length } = (yield* side.sink(PAGE + BYTES)).part(skip, BYTES);
  const mr = yield* side.api.regMr(side.qp.pd, { hi, lo, length, access: RIGHTS, zeroBased: true });
  return new RegisteredBuffer(0, 0, length, mr.key, mr);
}
