/** Calls that change a connection or its memory under way, drawn at random, in the form that verbs allow at any moment. */

import type { ConnectAttributes } from '../../../env/verbs/hostApi.ts';
import type { QpAttributes } from '../../../env/verbs/qpAttributes.ts';
import { ACCESS, MTU_BYTES, QP_STATE, QP_TYPE, type QpType } from '../../../rdma/verbs.ts';
import { RNR_RETRY_FOR_EVER } from '../../../rdma/timers.ts';
import { type Proc, delay } from '../../../uvm/kernel/process.ts';
import { NS, US } from '../../../uvm/kernel/time.ts';
import type { RandomStream } from '../../../uvm/random/randomStream.ts';
import type { QpSide } from '../qpSide.ts';
import { BUFFER_BYTES, drawPart, postReceive, postRequests, type TrafficSide } from './randomTraffic.ts';
import type { ApartEnds } from './apartEnds.ts';
import { drawPsns, firstPsn, keptBy, reconnection, resetBoth, takeSteps } from '../reconnection.ts';

const ALL_RIGHTS = ACCESS.remoteWrite | ACCESS.remoteRead | ACCESS.remoteAtomic;
/** Codes of times to ask for when not ready: 10 us to 160 us. */
const RNR_TIMERS = [1, 8] as const;
const REFUSED_BYTES = 500;
/** Limits that are reached now and then. */
const MOST_LIMIT = 8;

/** Waits for nothing, for part of a request, or for several. */
export function* pause(random: RandomStream): Proc<void> {
  const most = random.weighted([
    [3, 500],
    [3, 5000],
    [1, 50_000],
  ]);
  yield* delay(random.range(0, most) * NS);
}

/** Takes a send queue that has stopped for an error to work again. */
export function* recover({ api, qp }: QpSide): Proc<void> {
  if (qp.type === QP_TYPE.rc) return;
  const { state } = yield* api.queryQp(qp);
  if (state === QP_STATE.sqe) yield* api.modifyQp(qp, { state: QP_STATE.rts });
}

/** Changes in RTS what a side permits or, of RC, asks for, while requests that need the right may be on their way. */
export function* changeRights({ random, side: { api, qp } }: TrafficSide): Proc<void> {
  if (qp.type === QP_TYPE.ud || qp.state !== QP_STATE.rts) return;
  const accessFlags = random.chance(0.8) ? ALL_RIGHTS : random.range(0, ALL_RIGHTS) & ALL_RIGHTS;
  const change: Omit<QpAttributes, 'state'> =
    qp.type === QP_TYPE.rc && random.chance(0.5) ? { minRnrTimer: random.range(...RNR_TIMERS) } : { accessFlags };
  yield* api.modifyQp(qp, { state: QP_STATE.rts, ...change });
}

/**
 * Drains a send queue in the middle of its work, with requests posted while it is drained and in SQD.
 * @param drained waits until it is
 */
export function* drainMidway(from: TrafficSide, to: TrafficSide, drained: Proc<void>): Proc<void> {
  const { api, qp } = from.side;
  const receiver = to.side.qp;
  // The receives that were posted before may all have been used: without new ones it might wait for ever.
  const enough = receiver.maxRecvWr - receiver.recvOutstanding >= qp.sendOutstanding;
  // Others take what is shared.
  if (receiver.srq !== null) return;
  if (qp.state !== QP_STATE.rts || !enough || !api.capabilities.sqd) return;
  for (let n = qp.sendOutstanding; n > 0; n--) yield* postReceive(to);
  yield* api.modifyQp(qp, { state: QP_STATE.sqd, enSqdAsyncNotify: true });
  yield* postRequests(from, to);
  yield* drained;
  yield* postRequests(from, to);
  yield* pause(from.random);
  yield* api.modifyQp(qp, { state: QP_STATE.rts });
}

/** Deregisters a buffer, perhaps while requests use it, and registers another in its place. */
export function* replaceBuffer({ random, side, sources, sinks, gone }: TrafficSide): Proc<void> {
  const sink = random.chance(0.5);
  const buffers = sink ? sinks : sources;
  const place = random.range(0, buffers.length - 1);
  const [old] = buffers.splice(place, 1, yield* sink ? side.sink(BUFFER_BYTES) : side.source(BUFFER_BYTES));
  if (random.chance(0.7)) yield* delay(random.range(0, 30) * US);
  if (old === undefined) return;
  yield* side.deregister(old);
  gone.push(old);
}

/** Asks to be told when few receives are left of those that a side shares, or has the NIC say what it knows of them. */
export function* limitReceives({ random, side: { api, qp } }: TrafficSide): Proc<void> {
  if (qp.srq === null) return;
  if (random.chance(0.3)) yield* api.querySrq(qp.srq);
  else
    yield* api.modifySrq(qp.srq, {
      limit: random.chance(0.1) ? 0 : random.range(1, Math.min(MOST_LIMIT, qp.srq.maxWr)),
    });
}

/** Posts a request with a key that opens nothing any more, if there is one: its own, or that of the peer. */
export function* useOldKey(from: TrafficSide, to: TrafficSide): Proc<void> {
  const { random, side, sources } = from;
  if (side.qp.sendOutstanding >= side.qp.maxSendWr) return;
  const own = random.chance(0.5);
  const old = (own ? from : to).gone.at(-1)?.unchecked().part(0, REFUSED_BYTES);
  if (old === undefined) return;
  if (own) yield* side.send(old);
  else if (side.qp.type !== QP_TYPE.ud) yield* side.write(random.pick(sources).part(0, REFUSED_BYTES), old);
}

/** Gives part of what can be sent another content, while nobody uses it. */
export function refill({ random, side, peer, sources }: TrafficSide): void {
  if (side.qp.sendOutstanding + peer.qp.sendOutstanding > 0) return;
  const part = drawPart(random, random.pick(sources), BUFFER_BYTES);
  side.fill(
    part,
    Uint8Array.from({ length: part.length }, () => random.range(0, 255)),
  );
}

/**
 * Resets both sides and connects them again.
 * @param settle time after which nothing is on its way any more, ps
 * @param mostMtu code of the largest path MTU
 * @param apart what the ends choose by themselves, where they differ
 */
export function* restart(
  left: QpSide,
  right: QpSide,
  random: RandomStream,
  settle: number,
  mostMtu: number,
  apart: ApartEnds | undefined,
): Proc<void> {
  if (random.chance(0.5)) yield* resetBoth(left, right);
  else yield* resetBoth(right, left);
  yield* delay(settle);
  const common = drawAttributes(left.qp.type, random, mostMtu);
  const [a, b] = drawPsns(random);
  const own = apart?.next(left.qp.type, mostMtu) ?? [];
  yield* takeSteps(right, reconnection(right, left, { ...common, ...own[1], psn: b }, a));
  yield* takeSteps(left, reconnection(left, right, { ...common, ...own[0], psn: a }, b));
}

/**
 * Destroys the queue pair of one side, or of both, while requests are under way, and connects new ones: at once where both
 * have numbers that no queue pair had for long, so that nothing that comes late is for them.
 * @param settle time after which nothing is on its way any more, ps; `always` where numbers come again soon
 * @param mostMtu code of the largest path MTU
 * @param apart what the ends choose by themselves, where they differ
 */
export function* renew(
  left: QpSide,
  right: QpSide,
  random: RandomStream,
  settle: { readonly time: number; readonly always: boolean },
  mostMtu: number,
  apart: ApartEnds | undefined,
): Proc<void> {
  const sides = random.chance(0.5) ? [left, right] : [right, left];
  const kept = new Map(sides.map((side) => [side, keptBy(side.qp)]));
  const which = random.pick([[0], [1], [0, 1]]);
  for (const [i, side] of sides.entries()) {
    const { api, qp } = side;
    yield* api.modifyQp(qp, {
      state: random.chance(0.5) && qp.state !== QP_STATE.reset ? QP_STATE.err : QP_STATE.reset,
    });
    if (which.includes(i)) yield* side.renew();
    else yield* api.modifyQp(qp, { state: QP_STATE.reset });
  }
  if (settle.always || which.length < sides.length) yield* delay(settle.time);
  const common = drawAttributes(left.qp.type, random, mostMtu);
  const drawn = drawPsns(random);
  const [a, b] = [firstPsn(left, drawn[0]), firstPsn(right, drawn[1])];
  const own = apart?.next(left.qp.type, mostMtu) ?? [];
  const connects = function* (side: QpSide, peer: QpSide, psn: number, peerPsn: number): Proc<void> {
    const remote = side.qp.type === QP_TYPE.ud ? null : { host: peer.host, qpn: peer.qp.qpn, psn: peerPsn };
    yield* side.api.connectQp(side.qp, remote, {
      ...kept.get(side),
      ...common,
      ...own[side === left ? 0 : 1],
      psn,
    });
  };
  yield* connects(right, left, b, a);
  yield* connects(left, right, a, b);
}

/** What a new life of a connection has. */
function drawAttributes(type: QpType, random: RandomStream, mostMtu: number): ConnectAttributes {
  const mtu = MTU_BYTES[type === QP_TYPE.ud ? mostMtu : random.range(1, mostMtu)] as number;
  const rnrRetry = random.chance(0.8) ? RNR_RETRY_FOR_EVER : random.range(0, RNR_RETRY_FOR_EVER - 1);
  return { mtu, rnrRetry, minRnrTimer: random.range(...RNR_TIMERS), accessFlags: ALL_RIGHTS };
}
