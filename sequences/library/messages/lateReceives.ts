import { RNR_RETRY_FOR_EVER, RNR_TIMER_PS } from '../../../rdma/timers.ts';
import { QP_TYPE, WC_STATUS } from '../../../rdma/verbs.ts';
import { type Proc, delay } from '../../../uvm/kernel/process.ts';
import { US } from '../../../uvm/kernel/time.ts';
import type { Connection } from '../../user/connection.ts';
import type { QpSide } from '../../user/qpSide.ts';
import type { RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import { UserSequence } from '../../user/userSequence.ts';

const BYTES = 9001;
/** By how much the receive comes too late; longer than the shortest time that a receiver can ask for. */
const LATE = 25 * US;
/** When the second of two requests is posted: the first has been refused, and not yet sent again. */
const SECOND = 9 * US;

/** Packets of a WRITE that is gathered from as many entries, as far as lists may have them. */
const PACKETS = 4;

/**
 * SENDs, and WRITEs with immediate by turns, for which no receive is posted yet: the receiver must ask for patience, and
 * the sender must have it. Of the WRITEs, every second one is of no bytes, and the others are gathered from entries that
 * end with their packets. On every other connection two SENDs, each with its doorbell.
 */
export class LateReceives extends UserSequence {
  static readonly typeName: string = 'late_receives';
  static readonly description: string = 'SENDs and WRITEs with immediate that wait for their receives';
  override readonly services = [QP_TYPE.rc];

  override *connection(connection: Connection): Proc<void> {
    if (patience(connection) < 2 * LATE) yield* this.#inVain(connection);
    else yield* this.#inTime(connection);
  }

  /** The sender has so little patience that it gives up at the first request; its queue pair goes to ERR. */
  *#inVain({ left }: Connection): Proc<void> {
    const source = yield* left.source(BYTES);
    yield* left.receive([]);
    yield* left.send(source);
    yield* left.send(source);
    this.expectStatus(yield* left.sent(), WC_STATUS.rnrRetryExcErr, 'SEND without a receive');
    this.expectStatus(yield* left.sent(), WC_STATUS.wrFlushErr, 'SEND behind it');
    this.expectStatus(yield* left.received(), WC_STATUS.wrFlushErr, 'receive of the same queue pair');
  }

  *#inTime(connection: Connection): Proc<void> {
    const { index, left, right } = connection;
    if (index % 2 === 1) {
      yield* this.#twoAtATime(connection);
      return;
    }
    const packets = yield* this.#packets(left);
    const whole = packets.length * this.values.MTU;
    const source = yield* left.source(BYTES);
    const sinks = (yield* right.sink(Math.max(BYTES, whole) * this.count)).split(this.count);
    for (const [i, sink] of sinks.entries()) {
      const write = i % 2 === 1;
      const bytes = i % 4 === 3 ? 0 : whole;
      if (write) yield* left.write(bytes === 0 ? [] : packets, sink.part(0, bytes), { imm: i });
      else yield* left.send(source);
      yield* delay(LATE);
      yield* right.receive(write ? [] : sink);
      this.expectSuccess(yield* left.sent(), write ? 'WRITE' : 'SEND');
      this.expectSuccess(yield* right.received(), 'receive');
    }
  }

  /** A list of entries of a packet each. */
  *#packets(side: QpSide): Proc<RegisteredBuffer[]> {
    const count = Math.min(PACKETS, this.values.SG_NUM);
    return (yield* side.source(this.values.MTU * count)).split(count);
  }

  /** A second request is posted while the first one waits: it must wait too. */
  *#twoAtATime({ left, right }: Connection): Proc<void> {
    const source = yield* left.source(BYTES);
    const sinks = (yield* right.sink(BYTES * 2)).split(2);
    for (let i = 0; i < this.count; i++) {
      yield* left.send(source);
      yield* delay(SECOND);
      yield* left.send(source);
      yield* delay(LATE);
      for (const sink of sinks) yield* right.receive(sink);
      for (const what of ['first SEND', 'second SEND']) this.expectSuccess(yield* left.sent(), what);
      for (const what of ['first receive', 'second receive']) this.expectSuccess(yield* right.received(), what);
    }
  }
}

/** For how long the left side goes on when the right side is not ready (ps). */
function patience({ left, right }: Connection): number {
  const { rnrRetry } = left.qp;
  if (rnrRetry === RNR_RETRY_FOR_EVER) return Number.POSITIVE_INFINITY;
  return rnrRetry * (RNR_TIMER_PS[right.qp.minRnrTimer] as number);
}
