import type { Proc } from '../../uvm/kernel/process.ts';
import type { Connection } from '../user/connection.ts';
import type { RegisteredBuffer } from '../user/registeredBuffer.ts';
import { UserSequence } from '../user/userSequence.ts';

const BYTES = 33;
/** Doorbells that are rung before the first completion is waited for. */
const BURST = 16;

/** Rings a doorbell for every single request, many in a row, so that doorbells overtake the work they announce. */
export class ManyDoorbells extends UserSequence {
  static readonly typeName: string = 'many_doorbells';
  static readonly description: string = 'bursts of 16 SENDs with a doorbell each';

  override *connection(c: Connection): Proc<void> {
    const sources = (yield* c.left.source(BYTES * BURST)).split(BURST);
    for (let i = 0; i < this.count; i++) yield* this.#burst(c, sources);
  }

  *#burst({ left, right }: Connection, sources: readonly RegisteredBuffer[]): Proc<void> {
    const sinks = (yield* right.sink(BYTES * BURST)).split(BURST);
    for (const sink of sinks) yield* right.receive(sink);
    for (const source of sources) yield* left.send(source);
    for (let i = 0; i < BURST; i++) this.expectSuccess(yield* left.sent(), 'SEND');
    for (let i = 0; i < BURST; i++) this.expectSuccess(yield* right.received(), 'receive');
  }
}
