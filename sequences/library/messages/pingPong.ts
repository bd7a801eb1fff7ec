import type { Proc } from '../../../uvm/kernel/process.ts';
import type { Connection } from '../../user/connection.ts';
import { UserSequence } from '../../user/userSequence.ts';

const MESSAGE = 64;

/** Sends a message to the other side, waits for it there, and sends one back: latency, one message at a time. */
export class PingPong extends UserSequence {
  static readonly typeName: string = 'ping_pong';
  static readonly description: string = 'SENDs in both directions, one message in flight per connection';

  override *connection({ left, right }: Connection): Proc<void> {
    const [ping, pong] = [yield* left.source(MESSAGE * this.count), yield* right.source(MESSAGE * this.count)];
    const [pongIn, pingIn] = [yield* left.sink(MESSAGE * this.count), yield* right.sink(MESSAGE * this.count)];
    for (let i = 0; i < this.count; i++) {
      const at = i * MESSAGE;
      yield* right.receive(pingIn.part(at, MESSAGE));
      yield* left.receive(pongIn.part(at, MESSAGE));
      yield* left.send(ping.part(at, MESSAGE));
      this.expectSuccess(yield* right.received(), 'ping');
      yield* right.send(pong.part(at, MESSAGE));
      this.expectSuccess(yield* left.received(), 'pong');
      this.expectSuccess(yield* left.sent(), 'ping');
      this.expectSuccess(yield* right.sent(), 'pong');
    }
  }
}
