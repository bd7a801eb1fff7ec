import { connectPlan } from '../../env/verbs/connectPlan.ts';
import type { ConnectAttributes } from '../../env/verbs/hostApi.ts';
import type { Qp } from '../../env/verbs/verbsObjects.ts';
import type { QpAttributes } from '../../env/verbs/qpAttributes.ts';
import { PSN_MASK } from '../../rdma/bth.ts';
import { MTU_BYTES, QP_STATE } from '../../rdma/verbs.ts';
import type { Proc } from '../../uvm/kernel/process.ts';
import type { RandomStream } from '../../uvm/random/randomStream.ts';
import type { QpSide } from './qpSide.ts';

/** Takes both sides of a connection to RESET. @public */
export function* resetBoth(left: QpSide, right: QpSide): Proc<void> {
  for (const { api, qp } of [left, right]) yield* api.modifyQp(qp, { state: QP_STATE.reset });
}

/** First PSNs of both directions of a connection. @public */
export function drawPsns(random: RandomStream): [number, number] {
  return [random.range(0, PSN_MASK), random.range(0, PSN_MASK)];
}

/** Takes the steps of `reconnection`, or some of them. @public */
export function* takeSteps({ api, qp }: QpSide, steps: readonly QpAttributes[]): Proc<void> {
  for (const step of steps) yield* api.modifyQp(qp, step);
}

/**
 * The steps from RESET to RTS of a side. Time-outs, retries and rights stay as they were, unless `changed` says others.
 * @public
 */
export function reconnection(
  side: QpSide,
  peer: QpSide,
  changed: ConnectAttributes,
  peerPsn: number,
): readonly QpAttributes[] {
  const attributes = {
    ...keptBy(side.qp),
    ...changed,
    ...(changed.psn === undefined ? {} : { psn: firstPsn(side, changed.psn) }),
  };
  return connectPlan(side.qp, { host: peer.host, qpn: peer.qp.qpn, psn: firstPsn(peer, peerPsn) }, attributes);
}

/** Takes both sides of a connection from RESET to RTS, with first PSNs that are drawn. @public */
export function* connectAgain(
  left: QpSide,
  right: QpSide,
  random: RandomStream,
  changed: ConnectAttributes = {},
): Proc<void> {
  const mtu = MTU_BYTES[left.qp.pathMtu] as number;
  const [a, b] = drawPsns(random);
  yield* takeSteps(right, reconnection(right, left, { psn: b, mtu, ...changed }, a));
  yield* takeSteps(left, reconnection(left, right, { psn: a, mtu, ...changed }, b));
}

/** A first PSN as its NIC can have it. @public */
export function firstPsn({ api }: QpSide, psn: number): number {
  return psn - (psn % (api.limits.psnGranularity ?? 1));
}

/** Time-outs, retries, rights and kind of path of a queue pair, for another life of it. @public */
export function keptBy(qp: Qp): ConnectAttributes {
  const { port, timeout, retryCnt, rnrRetry, minRnrTimer, maxRdAtomic, maxDestRdAtomic, accessFlags, ipv6 } = qp;
  const kept = { timeout, retryCnt, rnrRetry, minRnrTimer, maxRdAtomic, maxDestRdAtomic, accessFlags, ipv6 };
  return port === 1 ? kept : { ...kept, port };
}
