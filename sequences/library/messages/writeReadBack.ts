import { QP_TYPE } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { Connection } from '../../user/connection.ts';
import type { RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import { UserSequence } from '../../user/userSequence.ts';

/** Odd on purpose, and longer than any MTU. */
const BYTES = 9001;

/** Memory of one connection: what is written, where to, and where it is read back. */
interface RoundTrip {
  readonly original: RegisteredBuffer;
  readonly remote: RegisteredBuffer;
  readonly copy: RegisteredBuffer;
}

/**
 * WRITEs to the peer, lets everything come to rest, and READs the same range back. The scoreboard compares the WRITE
 * when it is quiet and the READ when it completes, so that the copy is the original, seen from both directions.
 */
export class WriteReadBack extends UserSequence {
  static readonly typeName: string = 'write_read_back';
  static readonly description: string = 'RDMA WRITE, then RDMA READ of the same range';
  override readonly services = [QP_TYPE.rc];
  readonly #trips = new Map<Connection, RoundTrip>();

  override *body(): Proc {
    yield* this.forEachConnection((c) => this.#prepare(c));
    for (let i = 0; i < this.count; i++) {
      yield* this.forEachConnection((c) => this.#write(c));
      yield* this.quiet();
      yield* this.forEachConnection((c) => this.#readBack(c));
    }
  }

  *#prepare(c: Connection): Proc<void> {
    const original = yield* c.left.source(BYTES);
    const remote = yield* c.right.sink(BYTES);
    const copy = yield* c.left.sink(BYTES);
    this.#trips.set(c, { original, remote, copy });
  }

  *#write(c: Connection): Proc<void> {
    const { original, remote } = this.#trips.get(c) as RoundTrip;
    yield* c.left.write(original, remote);
    this.expectSuccess(yield* c.left.sent(), 'WRITE');
  }

  *#readBack(c: Connection): Proc<void> {
    const { remote, copy } = this.#trips.get(c) as RoundTrip;
    yield* c.left.read(copy, remote);
    this.expectSuccess(yield* c.left.sent(), 'READ');
  }
}
