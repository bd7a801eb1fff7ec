import { QP_TYPE } from '../../../rdma/verbs.ts';
import { type Proc, delay } from '../../../uvm/kernel/process.ts';
import { US } from '../../../uvm/kernel/time.ts';
import { ONE_QUEUE, type Sharing } from '../../host/sharing.ts';
import type { Connection } from '../../user/connection.ts';
import { UserSequence } from '../../user/userSequence.ts';

/** Messages of a connection, times +SEQ_COUNT. */
const MESSAGES = 12;
const LONGEST = 9001;
const SHORTEST = 100;
/** How late some receives come. */
const LATE = 15 * US;

/**
 * SENDs of one to several packets, and WRITEs with immediate, by turns, to queue pairs that all take their receives from one
 * queue of their process. Every message has a receive of somebody; on RC some of them come too late. Which one it fills is left
 * to the scoreboard, and so is the data.
 */
export class SharedReceives extends UserSequence {
  static readonly typeName: string = 'shared_receives';
  static readonly description: string = 'messages to queue pairs that share a receive queue';
  override readonly services = [QP_TYPE.rc];
  override readonly needs = { capabilities: ['sharedReceives'] } as const;

  override sharing(): Sharing {
    return ONE_QUEUE;
  }

  override *connection(connection: Connection): Proc<void> {
    const { left, right } = connection;
    const random = this.streamOf(connection, 'messages');
    const source = yield* left.source(LONGEST);
    const sinks = (yield* right.sink(MESSAGES * LONGEST)).split(MESSAGES);
    const target = yield* right.sink(LONGEST);
    for (let i = 0; i < MESSAGES * this.count; i++) {
      const isLate = random.chance(0.3);
      const data = source.part(0, random.chance(0.5) ? SHORTEST : random.range(0, LONGEST));
      const sink = sinks[i % MESSAGES] as typeof source;
      if (!isLate) yield* right.receive(sink);
      if (i % 3 === 2) yield* left.write(data, target.part(0, data.length), { imm: i });
      else yield* left.send(data);
      if (isLate) {
        yield* delay(LATE);
        yield* right.receive(sink);
      }
      this.expectSuccess(yield* left.sent(), 'message');
      this.expectSuccess(yield* right.received(), 'receive');
    }
  }
}
