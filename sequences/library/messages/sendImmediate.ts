import { QP_TYPE, WC_FLAG } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { Completion } from '../../user/completion.ts';
import type { Connection } from '../../user/connection.ts';
import { UserSequence } from '../../user/userSequence.ts';

const BYTES = 200;

/** SENDs and WRITEs with immediate data, and checks that each value arrives in the completion of the other side. */
export class SendImmediate extends UserSequence {
  static readonly typeName: string = 'send_immediate';
  static readonly description: string = 'immediate data with SEND and, except on UD, with RDMA WRITE';

  override *connection({ type, left, right }: Connection): Proc<void> {
    const source = yield* left.source(BYTES);
    const sinks = (yield* right.sink(BYTES * this.count)).split(this.count);
    const values = this.run.random.stream(this.fullName, `immediate ${left.host} ${left.qp.qpn}`);
    for (const sink of sinks) {
      const imm = values.uint32();
      const write = type !== QP_TYPE.ud && values.chance(0.5);
      yield* right.receive(write ? [] : sink);
      if (write) yield* left.write(source, sink, { imm });
      else yield* left.send(source, { imm });
      this.#check(yield* right.received(), imm);
      this.expectSuccess(yield* left.sent(), write ? 'WRITE' : 'SEND');
    }
  }

  #check(completion: Completion, imm: number): void {
    this.expectSuccess(completion, 'receive');
    const arrived = (completion.flags & WC_FLAG.withImm) !== 0;
    if (arrived && completion.imm >>> 0 === imm) return;
    this.error('SEQ_IMM', `immediate ${imm} was sent, ${arrived ? completion.imm >>> 0 : 'none'} arrived`, [
      completion.subject,
    ]);
  }
}
