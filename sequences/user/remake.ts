import type { ConnectAttributes } from '../../env/verbs/hostApi.ts';
import type { QpInit } from '../../env/verbs/verbsObjects.ts';
import { MTU_BYTES, QP_TYPE } from '../../rdma/verbs.ts';
import type { Proc } from '../../uvm/kernel/process.ts';
import type { RandomStream } from '../../uvm/random/randomStream.ts';
import type { Connection } from './connection.ts';
import type { QpSide } from './qpSide.ts';
import { drawPsns, firstPsn, keptBy } from './reconnection.ts';

/** What a queue pair that is made anew has in place of what it had. @public */
export type Changes = Partial<Omit<QpInit, 'type'>>;

/**
 * Makes both queue pairs of a connection anew, on which nothing is under way, and connects them as they were.
 * @param changes of the left side, and of the right one
 * @param attributes of both, in place of those that they had
 * @public
 */
export function* remake(
  { left, right, type }: Connection,
  changes: readonly [Changes, Changes],
  random: RandomStream,
  attributes: ConnectAttributes = {},
): Proc<void> {
  const [a, b] = drawPsns(random).map((psn, i) => firstPsn(i === 0 ? left : right, psn)) as [number, number];
  const kept = [left, right].map(({ qp }) => ({
    ...keptBy(qp),
    mtu: MTU_BYTES[qp.pathMtu] as number,
    ...(type === QP_TYPE.ud ? { qkey: qp.qkey } : {}),
    ...attributes,
  }));
  yield* left.renew(changes[0]);
  yield* right.renew(changes[1]);
  yield* connectTo(right, left, { ...kept[1], psn: b }, a);
  yield* connectTo(left, right, { ...kept[0], psn: a }, b);
}

function* connectTo({ api, qp }: QpSide, peer: QpSide, attributes: ConnectAttributes, peerPsn: number): Proc<void> {
  const remote = qp.type === QP_TYPE.ud ? null : { host: peer.host, qpn: peer.qp.qpn, psn: peerPsn };
  yield* api.connectQp(qp, remote, attributes);
}
