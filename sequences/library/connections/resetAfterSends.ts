import { MTU_BYTES, QP_STATE, QP_TYPE } from '../../../rdma/verbs.ts';
import { type Proc, delay } from '../../../uvm/kernel/process.ts';
import { NS } from '../../../uvm/kernel/time.ts';
import type { RandomStream } from '../../../uvm/random/randomStream.ts';
import type { Connection } from '../../user/connection.ts';
import { onItsWay } from '../../user/onItsWay.ts';
import type { QpSide } from '../../user/qpSide.ts';
import { drawPsns, reconnection, takeSteps } from '../../user/reconnection.ts';
import type { RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import { UserSequence } from '../../user/userSequence.ts';

const BYTES = 8;
/** Requests of a life at most, and bytes that one has on the wire at most. */
const BURST = 16;
const FRAME = 200;
/** Up to so many ns behind the last of them a side is reset. */
const PAUSE = 6000;

/**
 * Queue pairs that are reset while completions of what they have done may still wait for their completion queue: those
 * are written before RESET ends, or never (roce-transport.md 5.3), and the next life begins with none of them. The side
 * that sends or the one that receives is reset first.
 */
export class ResetAfterSends extends UserSequence {
  static readonly typeName: string = 'reset_after_sends';
  static readonly description: string = 'queue pairs that are reset when their completions come, and reconnected';
  override readonly services = [QP_TYPE.rc, QP_TYPE.uc];

  override *connection(connection: Connection): Proc<void> {
    const { left, right } = connection;
    const random = this.streamOf(connection, 'lives');
    const [source, target] = [yield* left.source(BYTES), yield* right.sink(BYTES)];
    for (let life = 0; life < this.count; life++) {
      yield* burst(connection, source, target);
      yield* delay(random.range(0, PAUSE) * NS);
      for (const { api, qp } of random.chance(0.5) ? [left, right] : [right, left])
        yield* api.modifyQp(qp, { state: QP_STATE.reset });
      yield* delay(onItsWay(this.values, this.connections.length * BURST * FRAME));
      yield* connect(left, right, random);
    }
  }
}

/** Requests that complete on both sides. */
function* burst({ left, right }: Connection, source: RegisteredBuffer, target: RegisteredBuffer): Proc<void> {
  const requests = Math.min(BURST, right.qp.maxRecvWr, left.qp.maxSendWr);
  for (let i = 0; i < requests; i++) yield* right.receive([]);
  for (let i = 0; i < requests; i++) yield* left.write(source, target, { imm: i });
}

function* connect(left: QpSide, right: QpSide, random: RandomStream): Proc<void> {
  const mtu = MTU_BYTES[left.qp.pathMtu] as number;
  const [a, b] = drawPsns(random);
  yield* takeSteps(right, reconnection(right, left, { psn: b, mtu }, a));
  yield* takeSteps(left, reconnection(left, right, { psn: a, mtu }, b));
}
