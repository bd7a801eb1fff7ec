import { QP_TYPE } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { RandomStream } from '../../../uvm/random/randomStream.ts';
import type { Connection } from '../../user/connection.ts';
import type { RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import { UserSequence } from '../../user/userSequence.ts';

/** Entries of a list at most. */
const PIECES = 3;
/** One request in so many points at its data, so that both kinds follow each other in a queue. */
const POINTED = 4;

/**
 * SENDs and WRITEs of all lengths that fit whose data are in the requests themselves. The memory from which software took
 * them is no longer registered when they are posted: a NIC that looks at it finds a key that opens nothing.
 */
export class InlineData extends UserSequence {
  static readonly typeName: string = 'inline_data';
  static readonly description: string = 'SENDs and WRITEs with inline data of up to +MAX_INLINE bytes';
  override readonly needs = { capabilities: ['inline'] } as const;

  override *connection(connection: Connection): Proc<void> {
    const { left, right } = connection;
    const most = left.qp.maxInline;
    const random = this.streamOf(connection, 'requests');
    // A place for each: nobody says when a WRITE of UC has arrived.
    const sinks = (yield* right.sink(this.count * Math.max(1, most))).split(this.count);
    const known = yield* left.source(Math.max(1, most));
    const gone = yield* left.source(PIECES * Math.max(1, most));
    yield* left.deregister(gone);
    for (const sink of sinks) {
      const inline = !random.chance(1 / POINTED);
      const length = random.pick([0, 1, most, random.range(0, most)]);
      const list = inline ? this.#cut(gone.unchecked(), length, random) : [known.part(0, length)];
      yield* this.#pass(connection, list, sink.part(0, length), inline, random);
    }
  }

  *#pass(
    { type, left, right }: Connection,
    list: readonly RegisteredBuffer[],
    room: RegisteredBuffer,
    inline: boolean,
    random: RandomStream,
  ): Proc<void> {
    const imm = random.chance(0.5) ? random.range(0, 0xffff) : undefined;
    const options = { inline, ...(imm === undefined ? {} : { imm }) };
    const write = type !== QP_TYPE.ud && random.chance(0.5);
    const received = !write || imm !== undefined;
    if (received) yield* right.receive(write ? [] : room);
    if (write) yield* left.write(list, room, options);
    else yield* left.send(list, options);
    this.expectSuccess(yield* left.sent(), inline ? 'inline request' : 'request');
    if (received) this.expectSuccess(yield* right.received(), 'receive');
  }

  /** `length` bytes in some pieces, each at a place of its own; some are empty. */
  #cut(memory: RegisteredBuffer, length: number, random: RandomStream): RegisteredBuffer[] {
    const pieces = random.range(1, Math.min(PIECES, this.values.SG_NUM));
    const cuts = Array.from({ length: pieces - 1 }, () => random.range(0, length)).sort((a, b) => a - b);
    const ends = [...cuts, length];
    const places = memory.split(PIECES);
    return ends.map((end, g) => (places[g] as RegisteredBuffer).part(0, end - (ends[g - 1] ?? 0)));
  }
}
