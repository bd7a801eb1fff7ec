import { QP_TYPE, WC_STATUS } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { RandomStream } from '../../../uvm/random/randomStream.ts';
import type { Connection } from '../../user/connection.ts';
import type { RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import { UserSequence } from '../../user/userSequence.ts';

/** Bytes that a receive has room for at most; more than two packets. */
const ROOM = 9000;
/** Bytes by which a message is longer than its receive at most: what does not fit may begin in any packet. */
const EXCESS = 9000;

/**
 * SENDs that are longer than the receive they come to. On RC both sides must fail, and with them what is posted behind.
 * Unreliable services must drop such a message and leave its receive to the next one: that is repeated, with one
 * message that fits just so between two that do.
 */
export class LongMessages extends UserSequence {
  static readonly typeName: string = 'long_messages';
  static readonly description: string = 'SENDs that are longer than their receives';
  override readonly needs = { entries: 2 } as const;

  override *connection(connection: Connection): Proc<void> {
    const { type, left, right } = connection;
    const random = this.streamOf(connection, 'lengths');
    const most = Math.min(ROOM + EXCESS, this.longest(connection));
    const source = yield* left.source(most);
    const sink = yield* right.sink(2 * ROOM);
    if (type === QP_TYPE.rc) {
      yield* this.#writeToNoRoom(connection, source, sink);
      yield* this.#refused(connection, source, sink, random);
    } else for (let i = 0; i < this.count; i++) yield* this.#dropped(connection, source, sink, random, i);
  }

  /** A WRITE with immediate takes a receive, and needs no room there. */
  *#writeToNoRoom({ left, right }: Connection, source: RegisteredBuffer, sink: RegisteredBuffer): Proc<void> {
    yield* right.receive([]);
    yield* left.write(source.part(0, ROOM), sink.part(0, ROOM), { imm: 1 });
    this.expectSuccess(yield* left.sent(), 'WRITE');
    this.expectSuccess(yield* right.received(), 'receive of the immediate data');
  }

  *#refused(
    { index, left, right }: Connection,
    source: RegisteredBuffer,
    sink: RegisteredBuffer,
    random: RandomStream,
  ): Proc<void> {
    const room = random.range(2, ROOM);
    const [first, second] = [sink.part(0, room), sink.part(ROOM, ROOM)];
    const cut = random.range(1, room - 1);
    yield* right.receive(index % 2 === 0 ? first : [first.part(0, cut), first.part(cut, room - cut)]);
    yield* right.receive(second);
    yield* left.send(source.part(0, room + excess(random, EXCESS)), index % 3 === 0 ? {} : { imm: index });
    yield* left.send(source.part(0, 10));
    this.expectStatus(yield* left.sent(), WC_STATUS.remInvReqErr, 'SEND longer than its receive');
    this.expectStatus(yield* left.sent(), WC_STATUS.wrFlushErr, 'SEND behind it');
    this.expectStatus(yield* right.received(), WC_STATUS.locLenErr, 'receive that is too short');
    this.expectStatus(yield* right.received(), WC_STATUS.wrFlushErr, 'receive behind it');
  }

  *#dropped(
    { left, right }: Connection,
    source: RegisteredBuffer,
    sink: RegisteredBuffer,
    random: RandomStream,
    turn: number,
  ): Proc<void> {
    const room = random.range(2, Math.min(ROOM, source.length - 1));
    for (const at of [0, ROOM]) yield* right.receive(sink.part(at, room));
    const long = (): number => room + excess(random, Math.min(EXCESS, source.length - room));
    const lengths = [long(), room, long(), random.range(1, room)];
    for (const length of lengths) yield* left.send(source.part(0, length), turn % 2 === 0 ? {} : { imm: length });
    for (const length of lengths) this.expectSuccess(yield* left.sent(), `SEND of ${length} bytes`);
    for (const _ of [0, ROOM]) this.expectSuccess(yield* right.received(), `receive of ${room} bytes`);
  }
}

/** One byte too many by turns with any number of them. */
function excess(random: RandomStream, most: number): number {
  return random.chance(0.5) ? 1 : random.range(1, most);
}
