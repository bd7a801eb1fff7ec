import type { QpAttributes } from '../../../env/verbs/qpAttributes.ts';
import type { ConnectAttributes } from '../../../env/verbs/hostApi.ts';
import { ACCESS, MTU_BYTES, QP_STATE, QP_TYPE, type QpType, WC_STATUS } from '../../../rdma/verbs.ts';
import { type Proc, delay } from '../../../uvm/kernel/process.ts';
import { US } from '../../../uvm/kernel/time.ts';
import type { RandomStream } from '../../../uvm/random/randomStream.ts';
import type { Connection } from '../../user/connection.ts';
import { onItsWay } from '../../user/onItsWay.ts';
import { type OneWay, oneWay } from '../../user/oneWay.ts';
import type { QpSide } from '../../user/qpSide.ts';
import { drawPsns, reconnection, resetBoth, takeSteps } from '../../user/reconnection.ts';
import { talk } from '../../user/talk.ts';
import { UserSequence } from '../../user/userSequence.ts';

/** Fits in a datagram at any MTU. */
const BYTES = 200;
const RECEIVES = 2;
/** Requests of a connection that may be on their way, and for how long NICs may still be busy with what has come. */
const ON_THE_WAY = 4;
const REST = 100 * US;
const QKEY = 0x1111;
/** What becomes of a queue pair in INIT. */
const LIFE = { works: 0, isSentTo: 1, failsInRtr: 2, fails: 3 } as const;
const LIVES = Object.values(LIFE).length;
/** Its peer gives up soon. */
const PATIENCE = { retryCnt: 1, timeout: 3 };

/**
 * A queue pair in INIT is changed there, asked for what it has, and given receives. Then it goes to work and receives with
 * them, or stays and is sent to, which comes to nothing, or goes to the error state from INIT or RTR and flushes them
 * (roce-transport.md 6.2, 6.4).
 */
export class InitStates extends UserSequence {
  static readonly typeName: string = 'init_states';
  static readonly description: string =
    'queue pairs in INIT and RTR: changes, receives, requests to them, and their transition to ERR';

  override *connection(connection: Connection): Proc<void> {
    const { left, right, index } = connection;
    const there = yield* oneWay(left, right, BYTES);
    const usual = { timeout: left.qp.timeout, retryCnt: left.qp.retryCnt };
    const former = { accessFlags: right.qp.accessFlags, qkey: right.qp.qkey };
    const random = this.streamOf(connection, 'psns');
    for (let i = 0; i < this.count; i++) {
      yield* this.#reset(left, right);
      const life = (index + i) % LIVES;
      yield* this.#life(there, life, steps(there, former, life === LIFE.works ? usual : PATIENCE, random));
      yield* this.#reset(left, right);
      const { toFrom, toTo } = steps(there, former, usual, random);
      yield* takeSteps(right, toTo);
      yield* takeSteps(left, toFrom);
      yield* this.#exchange(there);
    }
  }

  /** Both sides, until nothing is on its way any more. */
  *#reset(left: QpSide, right: QpSide): Proc<void> {
    yield* resetBoth(left, right);
    yield* delay(REST + onItsWay(this.values, this.connections.length * ON_THE_WAY * BYTES));
  }

  *#life(there: OneWay, life: number, { toFrom, toTo }: Steps): Proc<void> {
    const { from, to, sink } = there;
    const [init, rtr, rts] = toTo as [QpAttributes, QpAttributes, QpAttributes];
    yield* takeSteps(to, [init, { state: QP_STATE.init, ...changed(to.qp.type) }]);
    yield* to.api.queryQp(to.qp);
    for (let i = 0; i < RECEIVES; i++) yield* to.receive(sink);
    yield* takeSteps(from, toFrom);
    if (life === LIFE.works) {
      yield* takeSteps(to, [rtr, rts]);
      yield* this.#works(there);
      return;
    }
    if (life === LIFE.isSentTo) yield* this.#isSentTo(there);
    if (life === LIFE.failsInRtr) {
      yield* takeSteps(to, [rtr]);
      yield* to.api.queryQp(to.qp);
    }
    yield* takeSteps(to, [{ state: QP_STATE.err }]);
    for (let i = 0; i < RECEIVES; i++) this.expectStatus(yield* to.received(), WC_STATUS.wrFlushErr, 'receive of INIT');
  }

  /** With the receives that were posted in INIT, and the rights that it was given there. */
  *#works({ from, to, source, target }: OneWay): Proc<void> {
    for (let i = 0; i < RECEIVES; i++) {
      yield* from.send(source);
      this.expectSuccess(yield* from.sent(), 'SEND');
      this.expectSuccess(yield* to.received(), 'receive of INIT');
    }
    if (from.qp.type !== QP_TYPE.rc) return;
    yield* from.write(source, target);
    this.expectStatus(yield* from.sent(), WC_STATUS.remInvReqErr, 'WRITE that is not permitted');
  }

  /** In INIT it takes nothing, and answers nothing. */
  *#isSentTo({ from, source }: OneWay): Proc<void> {
    yield* from.send(source);
    const right = from.qp.type === QP_TYPE.rc ? WC_STATUS.retryExcErr : WC_STATUS.success;
    this.expectStatus(yield* from.sent(), right, 'SEND to a queue pair in INIT');
  }

  *#exchange(there: OneWay): Proc<void> {
    const { from, to, source, sink } = there;
    if (from.qp.type !== QP_TYPE.ud) {
      yield* talk(this, there);
      return;
    }
    yield* to.receive(sink);
    yield* from.send(source);
    this.expectSuccess(yield* from.sent(), 'SEND');
    this.expectSuccess(yield* to.received(), 'receive');
  }
}

/** What is changed in INIT. */
function changed(type: QpType): Omit<QpAttributes, 'state'> {
  return type === QP_TYPE.ud ? { qkey: QKEY } : { accessFlags: ACCESS.remoteRead };
}

interface Steps {
  readonly toFrom: readonly QpAttributes[];
  readonly toTo: readonly QpAttributes[];
}

/**
 * The steps of both sides from RESET to RTS.
 * @param former what the receiver had before it was changed
 * @param patience of the sender
 */
function steps(
  { from, to }: OneWay,
  former: ConnectAttributes,
  patience: ConnectAttributes,
  random: RandomStream,
): Steps {
  const [a, b] = drawPsns(random);
  const mtu = MTU_BYTES[from.qp.pathMtu] as number;
  const toFrom = reconnection(from, to, { mtu, ...patience, qkey: from.qp.qkey, psn: a }, b);
  return { toFrom, toTo: reconnection(to, from, { mtu, ...former, psn: b }, a) };
}
