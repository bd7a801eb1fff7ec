import { GRH_BYTES, QP_TYPE } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { Connection } from '../../user/connection.ts';
import type { RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import { UserSequence } from '../../user/userSequence.ts';

/** A packet even at the shortest path MTU. */
const BYTES = 201;
const ROOM = GRH_BYTES + BYTES;

/**
 * Datagrams whose receives hold the GRH in the same entries as the message: the first entry ends within the GRH, with it,
 * or behind it, at times the second too, and header and message go on in the next one (roce-transport.md 4.6).
 */
export class SplitHeaders extends UserSequence {
  static readonly typeName: string = 'split_headers';
  static readonly description: string = 'datagrams into lists whose entries end within the GRH';
  override readonly services = [QP_TYPE.ud];

  override *connection(connection: Connection): Proc<void> {
    const { left, right } = connection;
    const random = this.streamOf(connection, 'lists');
    const source = yield* left.source(BYTES);
    const sink = yield* right.sink(ROOM);
    const ends = [0, 1, GRH_BYTES - 1, GRH_BYTES, GRH_BYTES + 1];
    for (let i = 0; i < this.count; i++) {
      const first = ends[i] ?? random.range(1, ROOM - 1);
      const second = i % 2 === 0 ? ROOM : random.range(first, ROOM);
      yield* right.receive(cut(sink, first, second), { grhInside: true });
      yield* left.send(source.part(0, random.range(0, BYTES)));
      this.expectSuccess(yield* left.sent(), 'datagram');
      this.expectSuccess(yield* right.received(), 'receive');
    }
  }
}

/** A buffer as a list of up to three entries, which end in front of these bytes of it. */
function cut(buffer: RegisteredBuffer, first: number, second: number): RegisteredBuffer[] {
  const entries = [buffer.part(0, first), buffer.part(first, second - first)];
  return second === buffer.length ? entries : [...entries, buffer.part(second, buffer.length - second)];
}
