import { QP_TYPE } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { RandomStream } from '../../../uvm/random/randomStream.ts';
import type { Connection } from '../../user/connection.ts';
import type { RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import { UserSequence } from '../../user/userSequence.ts';

const BYTES = 300;
/** Entries of a list: two that hold something, and one of no bytes. */
const ENTRIES = 3;

/**
 * Lists with an entry of no bytes in front of others, between them or behind them, in requests and in receives: it holds nothing, and
 * does not end the list.
 */
export class EmptyEntries extends UserSequence {
  static readonly typeName: string = 'empty_entries';
  static readonly description: string = 'requests and receives with a zero-length entry in their lists';
  override readonly needs = { entries: ENTRIES } as const;
  override readonly services = [QP_TYPE.rc, QP_TYPE.uc];

  override *connection(connection: Connection): Proc<void> {
    const { type, left, right } = connection;
    const random = this.streamOf(connection, 'entries');
    const [source, sink, target] = [yield* left.source(BYTES), yield* right.sink(BYTES), yield* right.sink(BYTES)];
    const copy = yield* left.sink(BYTES);
    for (let i = 0; i < this.count; i++) {
      yield* right.receive(listOf(sink, random));
      yield* left.send(listOf(source, random));
      this.expectSuccess(yield* left.sent(), 'SEND');
      this.expectSuccess(yield* right.received(), 'receive');
      yield* left.write(listOf(source, random), target);
      this.expectSuccess(yield* left.sent(), 'WRITE');
      if (type !== QP_TYPE.rc) continue;
      yield* left.read(listOf(copy, random), target);
      this.expectSuccess(yield* left.sent(), 'READ');
    }
  }
}

/** All of a buffer in two entries, and somewhere an empty one. */
function listOf(buffer: RegisteredBuffer, random: RandomStream): RegisteredBuffer[] {
  const cut = random.range(1, BYTES - 1);
  const parts = [buffer.part(0, cut), buffer.part(cut, BYTES - cut)];
  parts.splice(random.range(0, 2), 0, buffer.part(random.range(0, BYTES - 1), 0));
  return parts;
}
