import type { Refusal } from '../../../env/verbs/refusal.ts';
import type { Mr } from '../../../env/verbs/verbsObjects.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { Connection } from '../../user/connection.ts';
import { UserSequence } from '../../user/userSequence.ts';

/** Fits in a datagram of any MTU. */
const BYTES = 100;

/**
 * Gives the left NIC commands that it must refuse while the queue pair, its queues and its keys are in use, each with a
 * message under way: the NIC must say why it refuses, and the message must arrive. `+SEQ_COUNT` of them for each
 * connection, in an order of its own. There are about 45, one of them without its go bit, so that it must not begin;
 * `+SEQ_COUNT=50` plays all.
 */
export class RefusedCommands extends UserSequence {
  static readonly typeName: string = 'refused_commands';
  static readonly description: string =
    'commands that the NIC must refuse, with traffic in flight; +SEQ_COUNT=50 plays all cases';

  override *connection(connection: Connection): Proc<void> {
    const { left, right } = connection;
    const source = yield* left.source(BYTES);
    const sink = yield* right.sink(BYTES);
    const refusals = [...left.api.refusals(left.qp, source.mr as Mr)];
    this.streamOf(connection, 'order').shuffle(refusals);
    for (let i = 0; i < this.count && refusals.length > 0; i++) {
      const { what, give } = refusals[i % refusals.length] as Refusal;
      yield* right.receive(sink);
      yield* left.send(source);
      yield* give();
      this.expectSuccess(yield* left.sent(), `SEND during the ${what}`);
      this.expectSuccess(yield* right.received(), `receive during the ${what}`);
    }
    yield* left.api.queryQp(left.qp);
  }
}
