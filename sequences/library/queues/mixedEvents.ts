import { QP_TYPE, WC_STATUS } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { Connection } from '../../user/connection.ts';
import { NO_KEY } from '../../user/memory/registeredBuffer.ts';
import { UserSequence } from '../../user/userSequence.ts';

const BYTES = 200;
/** Messages with an armed completion queue in front of the request that fails. */
const MESSAGES = 3;
const IMM = 7;

/**
 * Completion events and asynchronous ones of the same NIC by turns, which go to different event queues and vectors: the
 * right side of each connection is told of messages, and then refuses a WRITE without a receive at hand. On every second
 * connection that has immediate data and takes a receive, which completes with LOC_ACCESS_ERR instead
 * (roce-transport.md, T-061).
 */
export class MixedEvents extends UserSequence {
  static readonly typeName: string = 'mixed_events';
  static readonly description: string = 'completion events and asynchronous events of one NIC, alternating';
  override readonly needs = { capabilities: ['naks'] } as const;
  override readonly services = [QP_TYPE.rc];

  override *body(): Proc {
    for (const c of this.connections) yield* this.#play(c);
  }

  *#play({ left, right, index }: Connection): Proc<void> {
    const source = yield* left.source(BYTES);
    const sink = yield* right.sink(BYTES);
    for (let i = 0; i < MESSAGES; i++) {
      yield* right.receive(sink);
      yield* right.api.armCq(right.qp.recvCq, false);
      yield* left.send(source);
      this.expectSuccess(yield* left.sent(), 'SEND');
      this.expectSuccess(yield* right.received(), 'receive');
    }
    const closed = sink.withKey(NO_KEY);
    const immediate = index % 2 === 1;
    if (immediate) yield* right.receive([]);
    yield* left.write(source, closed, immediate ? { imm: IMM } : {});
    this.expectStatus(yield* left.sent(), WC_STATUS.remAccessErr, 'WRITE with no key');
    if (immediate) this.expectStatus(yield* right.received(), WC_STATUS.locAccessErr, 'receive of a WRITE with no key');
  }
}
