import type { QpAttributes } from '../../../env/verbs/qpAttributes.ts';
import { ACCESS, QP_STATE, QP_TYPE } from '../../../rdma/verbs.ts';
import { type Proc, delay } from '../../../uvm/kernel/process.ts';
import { US } from '../../../uvm/kernel/time.ts';
import type { RandomStream } from '../../../uvm/random/randomStream.ts';
import { changeDrained } from '../../user/changeDrained.ts';
import type { Connection } from '../../user/connection.ts';
import { type OneWay, oneWay } from '../../user/oneWay.ts';
import type { QpSide } from '../../user/qpSide.ts';
import { UserSequence } from '../../user/userSequence.ts';

/** Bytes of a message: several packets at any MTU. */
const BYTES = 9000;
/** A receiver that is not ready is for this long. */
const LATE = 30 * US;
/** Codes of times to ask for when not ready, 10 us to 640 us, and of ACK time-outs, 67 ms to 1 s. */
const RNR_TIMERS = [1, 12] as const;
const TIMEOUTS = [14, 18] as const;
const ALL_RIGHTS = ACCESS.remoteWrite | ACCESS.remoteRead | ACCESS.remoteAtomic;

/**
 * Queue pairs that software changes while they are connected, with traffic before and after: in RTS what they permit and
 * what a receiver that is not ready asks for, in SQD path, time-out, retries and READs at once. QUERY_QP must tell each
 * time what was written, and packets must follow it.
 */
export class ChangedAttributes extends UserSequence {
  static readonly typeName: string = 'changed_attributes';
  static readonly description: string =
    'queue pairs that software changes in RTS and SQD, with traffic before and after';
  override readonly needs = { capabilities: ['sqd'] } as const;
  override readonly services = [QP_TYPE.rc, QP_TYPE.uc];

  override *connection(connection: Connection): Proc<void> {
    const { left, right } = connection;
    const random = this.streamOf(connection, 'changes');
    const ways = [yield* oneWay(left, right, BYTES), yield* oneWay(right, left, BYTES)];
    for (let i = 0; i < this.count; i++) {
      for (const way of ways) yield* this.#talk(connection, way);
      const side = random.pick([left, right]);
      if (random.chance(0.5)) yield* changeDrained(side, drawnInSqd(connection, side, random));
      else yield* side.api.modifyQp(side.qp, drawnInRts(connection, random));
      for (const { api, qp } of [left, right]) yield* api.queryQp(qp);
    }
    for (const way of ways) yield* this.#talk(connection, way);
  }

  /** On RC a message that comes before its receive, and what the peer permits besides; on UC a message. */
  *#talk({ type }: Connection, { from, to, source, sink, target, copy, remote }: OneWay): Proc<void> {
    const reliable = type === QP_TYPE.rc;
    const reads = reliable && permits(to, ACCESS.remoteRead) ? 3 : 0;
    const writes = permits(to, ACCESS.remoteWrite) ? 1 : 0;
    if (!reliable) yield* to.receive(sink);
    for (let i = 0; i < reads; i++) yield* from.read(copy, remote);
    if (writes > 0) yield* from.write(source, target);
    yield* from.send(source);
    if (reliable) {
      yield* delay(LATE);
      yield* to.receive(sink);
    }
    for (let i = 0; i < reads + writes + 1; i++) this.expectSuccess(yield* from.sent(), 'request');
    this.expectSuccess(yield* to.received(), 'receive');
  }
}

function permits({ qp }: QpSide, right: number): boolean {
  return (qp.accessFlags & right) !== 0;
}

function drawnInRts({ type }: Connection, random: RandomStream): QpAttributes {
  const accessFlags = random.chance(0.5) ? ALL_RIGHTS : random.range(0, ALL_RIGHTS) & ALL_RIGHTS;
  if (type !== QP_TYPE.rc || random.chance(0.5)) return { state: QP_STATE.rts, accessFlags };
  return { state: QP_STATE.rts, minRnrTimer: random.range(...RNR_TIMERS) };
}

/** Of READs at once, a requester never sends more than its peer answers. */
function drawnInSqd(
  { type, left, right }: Connection,
  side: QpSide,
  random: RandomStream,
): Omit<QpAttributes, 'state'> {
  const { qp } = side;
  const peer = side === left ? right : left;
  const bits = { trafficClass: random.range(0, 255), flowLabel: random.range(0, 0xf_ffff) };
  const av = { remoteHost: qp.remoteHost, ipv6: qp.ipv6, ...bits, hopLimit: random.range(1, 255) };
  if (type !== QP_TYPE.rc) return { av };
  const most = peer.qp.maxDestRdAtomic;
  const patience = { timeout: random.range(...TIMEOUTS), retryCnt: random.range(1, 7), rnrRetry: 7 };
  return random.pick([{ av }, patience, { maxRdAtomic: random.range(1, most) }, { av, ...patience }]);
}
