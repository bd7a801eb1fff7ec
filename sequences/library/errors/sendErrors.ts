import { QP_STATE, QP_TYPE, WC_STATUS } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { Completion } from '../../user/completion.ts';
import type { Connection } from '../../user/connection.ts';
import type { QpSide } from '../../user/qpSide.ts';
import { NO_KEY, type RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import { UserSequence } from '../../user/userSequence.ts';

/** Bytes of a message; on UC several packets. */
const BYTES = 20_000;

/**
 * Unreliable queue pairs whose send queue stops for an error of its own (SQE), in the first byte of a message or when
 * packets of it have left, or a datagram is longer than the path MTU: what is behind must be flushed, receives must go on, and after SQE -> RTS so must the send
 * queue, with the next packet number and nothing of the old message. At last software takes them from SQE to ERR, where
 * receives are flushed too.
 */
export class SendErrors extends UserSequence {
  static readonly typeName: string = 'send_errors';
  static readonly description: string = 'send queues of UC and UD that stop after an error and continue (SQE -> RTS)';
  override readonly services = [QP_TYPE.uc, QP_TYPE.ud];

  override *connection(connection: Connection): Proc<void> {
    const { left, right, type } = connection;
    const bytes = Math.min(BYTES, this.longest(connection));
    const source = yield* left.source(bytes);
    const tooLong = yield* left.source(this.values.MTU + 1);
    const answer = yield* right.source(bytes);
    const sink = yield* right.sink(bytes);
    const copy = yield* left.sink(bytes);
    const random = this.streamOf(connection, 'errors');
    for (let i = 0; i < this.count; i++) {
      const open = i % 2 === 0 ? 0 : random.range(1, bytes - 1);
      const entries = [source.part(0, open), source.part(open, bytes - open).withKey(NO_KEY)];
      yield* right.receive(sink);
      yield* left.receive(copy);
      const long = type === QP_TYPE.ud && i % 4 === 3 && this.tooLongDatagram(left.host) !== WC_STATUS.success;
      const list = long ? tooLong : open === 0 ? entries.slice(1) : entries;
      if (type === QP_TYPE.uc && i % 4 >= 2) yield* left.write(list, sink);
      else yield* left.send(list);
      yield* left.send(source);
      this.#expectError(yield* left.sent(), long);
      this.expectStatus(yield* left.sent(), WC_STATUS.wrFlushErr, 'SEND behind it');
      yield* this.#answered(connection, answer);
      yield* left.send(source);
      this.expectStatus(yield* left.sent(), WC_STATUS.wrFlushErr, 'SEND posted in SQE');
      yield* left.api.modifyQp(left.qp, { state: QP_STATE.rts });
      const length = random.range(1, bytes);
      yield* left.send(source.part(0, length));
      this.expectSuccess(yield* left.sent(), 'SEND after SQE');
      this.expectSuccess(yield* right.received(), 'receive after SQE');
    }
    yield* this.#givenUp(left, source, copy);
  }

  /** Two receives of a queue pair that goes from SQE to ERR (roce-transport.md 5.3). */
  *#givenUp(side: QpSide, source: RegisteredBuffer, sink: RegisteredBuffer): Proc<void> {
    for (let i = 0; i < 2; i++) yield* side.receive(sink);
    yield* side.send(source.withKey(NO_KEY));
    this.#expectError(yield* side.sent(), false);
    yield* side.api.modifyQp(side.qp, { state: QP_STATE.err });
    for (let i = 0; i < 2; i++)
      this.expectStatus(yield* side.received(), WC_STATUS.wrFlushErr, 'receive of SQE -> ERR');
  }

  #expectError(completion: Completion, long: boolean): void {
    if (long) this.expectStatus(completion, WC_STATUS.locLenErr, 'datagram that is longer than the path MTU');
    else this.expectStatus(completion, WC_STATUS.locProtErr, 'request with no key for its source');
  }

  /** A queue pair in SQE still receives. */
  *#answered({ left, right }: Connection, answer: RegisteredBuffer): Proc<void> {
    yield* right.send(answer);
    this.expectSuccess(yield* right.sent(), 'SEND to a queue pair in SQE');
    this.expectSuccess(yield* left.received(), 'receive in SQE');
  }
}
