import type { QpAttributes } from '../../../env/verbs/qpAttributes.ts';
import { MTU_BYTES, QP_TYPE } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { RandomStream } from '../../../uvm/random/randomStream.ts';
import type { Connection } from '../../user/connection.ts';
import { type OneWay, oneWay } from '../../user/oneWay.ts';
import type { QpSide } from '../../user/qpSide.ts';
import { drawPsns, reconnection, resetBoth, takeSteps } from '../../user/reconnection.ts';
import { talk } from '../../user/talk.ts';
import { UserSequence } from '../../user/userSequence.ts';

/** Several packets at any MTU. */
const BYTES = 5000;

/**
 * Queue pairs that are reset and connected again with other PSNs, another MTU and another path, with traffic before and
 * after: nothing of their former life may be left in the NIC. Each time the right one first stays in RTR, where it takes
 * what comes and sends nothing.
 */
export class Reconnects extends UserSequence {
  static readonly typeName: string = 'reconnects';
  static readonly description: string = 'queue pairs that are reset and reconnected, and receive in RTR';
  override readonly services = [QP_TYPE.rc, QP_TYPE.uc];

  override *connection(connection: Connection): Proc<void> {
    const { left, right } = connection;
    const random = this.streamOf(connection, 'attributes');
    const there = yield* oneWay(left, right, BYTES);
    const back = yield* oneWay(right, left, BYTES);
    const mostMtu = left.qp.pathMtu;
    for (let i = 0; i < this.count; i++) {
      yield* talk(this, there);
      yield* talk(this, back);
      yield* resetBoth(left, right);
      const [toLeft, toRight] = drawn(left, right, mostMtu, random);
      const last = toRight.pop() as QpAttributes;
      yield* takeSteps(right, toRight);
      yield* takeSteps(left, toLeft);
      // What uses up no receive is the first of a peer as well.
      if (connection.type === QP_TYPE.rc && i % 2 === 1) yield* this.#touch(there);
      else yield* talk(this, there);
      yield* right.api.modifyQp(right.qp, last);
    }
    yield* talk(this, back);
  }

  *#touch({ from, source, target, copy, remote }: OneWay): Proc<void> {
    yield* from.read(copy, remote);
    yield* from.write(source, target);
    for (const what of ['READ', 'WRITE']) this.expectSuccess(yield* from.sent(), what);
  }
}

/** The steps from RESET to RTS of both sides, with a path MTU up to the code `mostMtu`. */
function drawn(left: QpSide, right: QpSide, mostMtu: number, random: RandomStream): [QpAttributes[], QpAttributes[]] {
  const path = {
    trafficClass: random.range(0, 255),
    flowLabel: random.range(0, 0xf_ffff),
    hopLimit: random.range(1, 255),
  };
  const common = { mtu: MTU_BYTES[random.range(1, mostMtu)] as number, ...path };
  const [a, b] = drawPsns(random);
  const toLeft = reconnection(left, right, { psn: a, ...common }, b);
  return [[...toLeft], [...reconnection(right, left, { psn: b, ...common }, a)]];
}
