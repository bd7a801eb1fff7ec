import { RecvWr } from '../../../agents/verbs/verbsItems.ts';
import type { HostApi } from '../../../env/verbs/hostApi.ts';
import type { Cq, Pd } from '../../../env/verbs/verbsObjects.ts';
import { QP_STATE, QP_TYPE } from '../../../rdma/verbs.ts';
import { type Proc, delay } from '../../../uvm/kernel/process.ts';
import { US } from '../../../uvm/kernel/time.ts';
import type { Connection } from '../../user/connection.ts';
import { UserSequence } from '../../user/userSequence.ts';

const ENTRIES = 16;
/** More completion queues than there are numbers for. */
const TRIES = 10_000;
/** How a queue is armed. */
const ARMED = { not: 0, any: 1, solicited: 2 } as const;
type Armed = (typeof ARMED)[keyof typeof ARMED];
/** How a queue was armed when it was destroyed, and how the next one of its number is. */
const CASES: readonly (readonly [former: Armed, next: Armed])[] = [
  [ARMED.any, ARMED.not],
  [ARMED.solicited, ARMED.not],
  [ARMED.any, ARMED.solicited],
  [ARMED.not, ARMED.any],
];
/** By then the NIC has taken a doorbell or sent an event. */
const REST = 20 * US;

/**
 * Completion queues that have taken completions and are destroyed while they are armed; the next ones of their numbers
 * begin empty and not armed (roce-transport.md 5.4), which completions of requests that are flushed show. Numbers come
 * round only when all others have been used: software makes as many queues as it takes, on one host.
 */
export class RecreatedQueues extends UserSequence {
  static readonly typeName: string = 'recreated_queues';
  static readonly description: string = 'completion queues that are destroyed while armed, and recreated';

  override *body(): Proc<void> {
    const { api, qp } = (this.connections[0] as Connection).left;
    const former: Cq[] = [];
    for (const [armed] of CASES) {
      const cq = yield* api.createCq(qp.process, { entries: ENTRIES });
      yield* complete(api, qp.pd, cq);
      yield* arm(api, cq, armed);
      former.push(cq);
    }
    yield* delay(REST);
    for (const cq of former) yield* api.destroyCq(cq);
    for (const [i, { cqn }] of former.entries()) {
      const cq = yield* recreated(api, qp.process, cqn);
      yield* arm(api, cq, (CASES[i] as (typeof CASES)[number])[1]);
      yield* complete(api, qp.pd, cq);
      yield* delay(REST);
      yield* api.destroyCq(cq);
    }
  }
}

function* arm(api: HostApi, cq: Cq, armed: Armed): Proc<void> {
  if (armed !== ARMED.not) yield* api.armCq(cq, armed === ARMED.solicited);
}

/** A completion queue of this number: all others are used before. */
function* recreated(api: HostApi, process: number, cqn: number): Proc<Cq> {
  for (let i = 0; i < TRIES; i++) {
    const cq = yield* api.createCq(process, { entries: ENTRIES });
    if (cq.cqn === cqn) return cq;
    yield* api.destroyCq(cq);
  }
  throw new Error(`none of ${TRIES} completion queues has number ${cqn}`);
}

/** A completion in a queue: a receive of a queue pair that is made for it is flushed. */
function* complete(api: HostApi, pd: Pd, cq: Cq): Proc<void> {
  const init = { type: QP_TYPE.rc, sendCq: cq, recvCq: cq, maxSendWr: 1, maxRecvWr: 1, maxSge: 1 };
  const qp = yield* api.createQp(pd, init);
  yield* api.modifyQp(qp, { state: QP_STATE.init, pkeyIndex: 0, port: 1, accessFlags: 0 });
  const wr = new RecvWr();
  wr.setNumSge(0);
  yield* api.postRecv(qp, [wr], 1);
  yield* api.modifyQp(qp, { state: QP_STATE.err });
  yield* delay(REST);
  yield* api.destroyQp(qp);
}
