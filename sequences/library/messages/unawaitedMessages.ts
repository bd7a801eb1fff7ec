import { QP_TYPE } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { Connection } from '../../user/connection.ts';
import type { QpSide } from '../../user/qpSide.ts';
import type { RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import { UserSequence } from '../../user/userSequence.ts';

/** Packets of a long message, and bytes of a short one. */
const PACKETS = 3;
const SHORT = 50;

/**
 * Messages whose receives nobody waits for, so that any of them may be lost for good: on UC SENDs and WRITEs with immediate
 * by turns, of one packet and of three, on UD datagrams. What arrives, and as what, the scoreboard judges.
 */
export class UnawaitedMessages extends UserSequence {
  static readonly typeName: string = 'unawaited_messages';
  static readonly description: string = 'messages without a wait for their receives: on UC and UD they may be lost';

  override *connection({ type, left, right }: Connection): Proc<void> {
    const long = type === QP_TYPE.ud ? this.values.MTU : (PACKETS - 1) * this.values.MTU + SHORT;
    const source = yield* left.source(long);
    const sinks = (yield* right.sink(long * this.count)).split(this.count);
    for (const sink of sinks) yield* right.receive(sink);
    for (const [i, sink] of sinks.entries()) {
      const data = source.part(0, i % 2 === 0 ? long : SHORT);
      const isWrite = type !== QP_TYPE.ud && i % 4 >= 2;
      yield* this.#post(left, data, isWrite ? sink.part(0, data.length) : undefined, i);
      this.expectSuccess(yield* left.sent(), `message ${i}`);
    }
  }

  *#post(left: QpSide, data: RegisteredBuffer, target: RegisteredBuffer | undefined, imm: number): Proc<void> {
    if (target === undefined) yield* left.send(data, { imm });
    else yield* left.write(data, target, { imm });
  }
}
