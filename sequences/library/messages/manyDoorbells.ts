import type { Proc } from '../../../uvm/kernel/process.ts';
import type { Connection } from '../../user/connection.ts';
import type { RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import { UserSequence } from '../../user/userSequence.ts';

const BYTES = 33;
/** Doorbells that are rung before the first completion is waited for. */
const SHORT_BURST = 16;
/** As many where the queues are large enough. */
const LONG_BURST = 100;

/** Rings a doorbell for every single request, many in a row, so that doorbells overtake the work they announce. */
export class ManyDoorbells extends UserSequence {
  static readonly typeName: string = 'many_doorbells';
  static readonly description: string =
    'bursts of 16 SENDs with a doorbell each, or of 100; +MAX_SEND_WR=128 +MAX_RECV_WR=127 plays all cases';

  override *connection(c: Connection): Proc<void> {
    const room = Math.min(c.left.qp.maxSendWr, c.right.qp.maxRecvWr);
    const burst = room >= LONG_BURST ? LONG_BURST : SHORT_BURST;
    const sources = (yield* c.left.source(BYTES * burst)).split(burst);
    for (let i = 0; i < this.count; i++) yield* this.#burst(c, sources);
  }

  *#burst({ left, right }: Connection, sources: readonly RegisteredBuffer[]): Proc<void> {
    const burst = sources.length;
    const sinks = (yield* right.sink(BYTES * burst)).split(burst);
    for (const sink of sinks) yield* right.receive(sink);
    for (const source of sources) yield* left.send(source);
    for (let i = 0; i < burst; i++) this.expectSuccess(yield* left.sent(), 'SEND');
    for (let i = 0; i < burst; i++) this.expectSuccess(yield* right.received(), 'receive');
  }
}
