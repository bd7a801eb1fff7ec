/** Holds what a run needs of a host's NIC against what the NIC says it can do, before there is any traffic. */
import type { DeviceLimits } from '../../env/deviceLimits.ts';
import type { DeviceAttributes } from '../../env/verbs/hostApi.ts';
import { DeviceLimitError } from '../../env/verbs/hostErrors.ts';
import { MTU_BYTES } from '../../rdma/verbs.ts';
import type { TopologyPlan } from '../../config/scenario/scenario.ts';

/** One quantity: what it is called, what is needed, what the NIC allows, and what to do about it. */
type Need = readonly [what: string, needed: number, limit: number, advice: string];

const QUEUE_PAIRS = 'lower +RC_QP_NUM, +UC_QP_NUM or +UD_QP_NUM';
const REQUESTS = 'lower +SEND_WQE_NUM, +WRITE_WQE_NUM or +READ_WQE_NUM';

/**
 * Queues of a host, with their sizes.
 * @throws DeviceLimitError naming everything that is too much, with the limit and the parameter to lower
 */
export function checkQueues(device: DeviceAttributes, plan: TopologyPlan, host: number): void {
  let [sends, recvs, entries, mtu, cqEntries] = [0, 0, 0, 0, 0];
  for (let i = 0; i < plan.qpCount(host); i++) {
    const qp = plan.qp(host, i);
    sends = Math.max(sends, qp.maxSendWr);
    recvs = Math.max(recvs, qp.maxRecvWr);
    entries = Math.max(entries, qp.maxSge);
    mtu = Math.max(mtu, qp.mtu);
  }
  for (let i = 0; i < plan.cqCount(host); i++) cqEntries = Math.max(cqEntries, plan.cq(host, i).entries);
  check(host, [
    ['queue pairs', plan.qpCount(host), device.maxQps, QUEUE_PAIRS],
    [
      'completion queues',
      plan.cqCount(host),
      device.maxCqs,
      'use +SPLIT_CQ=0, raise +SHARED_CQ, or have fewer queue pairs',
    ],
    ['entries of a completion queue', cqEntries, device.maxCqEntries, `lower +SHARED_CQ, or ${REQUESTS}`],
    ['requests of a send queue', sends, device.maxQpWr, `lower +MAX_SEND_WR, or ${REQUESTS}`],
    ['requests of a receive queue', recvs, device.maxQpWr, 'lower +MAX_RECV_WR or +SEND_WQE_NUM'],
    ['entries of a scatter/gather list', entries, device.maxSge, 'lower +SG_NUM; a UD receive takes one more'],
    ['bytes of path MTU', mtu, MTU_BYTES[device.maxMtu] ?? 0, 'lower +MTU'],
  ]);
}

/**
 * Memory regions of a host, those of its rings included.
 * @throws DeviceLimitError
 */
export function checkRegions(device: DeviceAttributes, host: number, count: number): void {
  if (count <= device.maxMrs) return;
  const advice = 'use +MR_GRANULARITY=qp, or lower +DB_NUM or the number of queue pairs';
  check(host, [['memory regions, those of rings included', count, device.maxMrs, advice]]);
}

/**
 * Data areas of a host's queue pairs.
 * @param bytes from the start of one that are registered
 * @throws DeviceLimitError
 */
export function checkArea(limits: DeviceLimits, host: number, bytes: number): void {
  if (bytes <= limits.areaBytes) return;
  check(host, [['bytes of a data area', bytes, limits.areaBytes, 'let regions begin and end earlier']]);
}

function check(host: number, needs: readonly Need[]): void {
  const over = needs.filter(([, needed, limit]) => needed > limit);
  if (over.length === 0) return;
  const texts = over.map(([what, needed, limit, advice]) => `${needed} ${what}, its limit is ${limit} (${advice})`);
  throw new DeviceLimitError(`host ${host}: this run needs more than its NIC can do: ${texts.join('; ')}`);
}
