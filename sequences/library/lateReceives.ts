import { QP_TYPE, WC_STATUS } from '../../rdma/verbs.ts';
import { type Proc, delay } from '../../uvm/kernel/process.ts';
import { US } from '../../uvm/kernel/time.ts';
import type { Connection } from '../user/connection.ts';
import { UserSequence } from '../user/userSequence.ts';

const BYTES = 9001;
/** By how much the receive comes too late; longer than the shortest time that a receiver can ask for. */
const LATE = 25 * US;
/** `+RNR_RETRY` of a sender that never gives up. */
const FOR_EVER = 7;

/**
 * SENDs, and WRITEs with immediate by turns, for which no receive is posted yet: the receiver must ask for patience,
 * and the sender must have it, if
 * `+RNR_RETRY` is large enough.
 */
export class LateReceives extends UserSequence {
  static readonly typeName: string = 'late_receives';
  static readonly description: string = 'SENDs and WRITEs with immediate that wait for their receive';
  override readonly services = [QP_TYPE.rc];

  override *connection({ left, right }: Connection): Proc<void> {
    const source = yield* left.source(BYTES);
    const sinks = (yield* right.sink(BYTES * this.count)).split(this.count);
    for (const [i, sink] of sinks.entries()) {
      const write = i % 2 === 1;
      if (write) yield* left.write(source, sink, { imm: i });
      else yield* left.send(source);
      yield* delay(LATE);
      yield* right.receive(write ? [] : sink);
      const sent = yield* left.sent();
      // Of limited patience (`+RNR_RETRY`) the sender may rightly give up; whether it does, the scoreboard judges.
      if (this.values.RNR_RETRY < FOR_EVER && sent.status === WC_STATUS.rnrRetryExcErr) return;
      this.expectSuccess(sent, write ? 'WRITE' : 'SEND');
      this.expectSuccess(yield* right.received(), 'receive');
    }
  }
}
