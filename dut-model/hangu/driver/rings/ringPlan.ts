/**
 * Sizes of work-queue rings. Strides are 128 bytes, as published, or more when a work-queue entry of the queue pair
 * does not fit (UD with many entries, inline data). Slots are a power of two, so that numbers wrap with a mask.
 */

import { HANGU_LIMITS } from '../../layout/limits.ts';
import { MAX_RECV_WQE, MAX_SEND_WQE, SEGMENT_UNITS, WQE_UNIT } from '../../layout/queues.ts';
import { QP_TYPE } from '../../../../rdma/verbs.ts';
import type { QpType } from '../../../../rdma/verbs.ts';
import { HostApiError } from '../../../../env/verbs/hostErrors.ts';
import type { SrqRequest } from '../../../../env/verbs/srq/srqRequests.ts';
import type { RingPlan, SrqPlan } from '../hanguObjects.ts';

const MIN_STRIDE_LOG = 7;
const MAX_SMALL = 2 ** 30;

/** What decides the geometry. */
export interface RingDemand {
  readonly type: QpType;
  readonly maxSendWr: number;
  readonly maxRecvWr: number;
  readonly maxSge: number;
  readonly maxInline?: number;
  /** It has no receives of its own. */
  readonly srq?: unknown;
}

/**
 * Geometry for a demand.
 * @param where whose queue pair it is to be
 * @throws HostApiError of kind LIMIT when the NIC cannot do it
 */
export function planRings(demand: RingDemand, where: string): RingPlan {
  const plan = {
    sqStrideLog: strideLog(sendWqeBytes(demand)),
    rqStrideLog: strideLog(recvWqeBytes(demand.maxSge)),
    sqSlots: powerOfTwo(demand.maxSendWr),
    // One slot always stays empty: its zero first segment tells the NIC where the receive queue ends.
    rqSlots: powerOfTwo((demand.srq ? 0 : demand.maxRecvWr) + 1),
  };
  const problems = problemsOf(plan, demand);
  if (problems.length > 0) throw new HostApiError('LIMIT', where, problems.join('; '), 'see above', demand);
  return plan;
}

/**
 * Geometry of the ring of a shared receive queue.
 * @throws HostApiError of kind LIMIT when the NIC cannot do it
 */
export function planShared({ maxWr, maxSge }: SrqRequest, where: string): SrqPlan {
  const { maxSrqSlots, maxRingBytes } = HANGU_LIMITS;
  const refuse = (what: string, hint: string, value: number): never => {
    throw new HostApiError('LIMIT', where, what, hint, value);
  };
  if (maxSge > HANGU_LIMITS.maxSge)
    refuse(`receives of ${maxSge} entries`, `use ${HANGU_LIMITS.maxSge} at most`, maxSge);
  const plan = { slots: powerOfTwo(maxWr + 1), strideLog: strideLog(recvWqeBytes(maxSge)) };
  const most = Math.min(maxSrqSlots, maxRingBytes >> plan.strideLog) - 1;
  if (maxWr > most) refuse(`a shared receive queue of ${maxWr} receives`, `use ${most} at most`, maxWr);
  return plan;
}

/** Longest send-queue entry, bytes. */
function sendWqeBytes(demand: RingDemand): number {
  const address = demand.type === QP_TYPE.ud ? SEGMENT_UNITS.ud : SEGMENT_UNITS.remoteAddress;
  const head = SEGMENT_UNITS.next + address;
  const { maxInline = 0 } = demand;
  const inline = maxInline === 0 ? 0 : inlineUnits(maxInline);
  const atomic = demand.type === QP_TYPE.rc ? SEGMENT_UNITS.atomic + 1 : 0;
  return WQE_UNIT * (head + Math.max(demand.maxSge, inline, atomic));
}

/** 16-byte units of an inline segment: its count, and data filled up with zeros. */
export function inlineUnits(bytes: number): number {
  return Math.ceil((4 + bytes) / WQE_UNIT);
}

/** Longest receive-queue entry with its terminator, bytes. */
function recvWqeBytes(maxSge: number): number {
  return WQE_UNIT * (SEGMENT_UNITS.next + maxSge + 1);
}

/** What stands against a geometry. */
function problemsOf(plan: RingPlan, demand: RingDemand): readonly string[] {
  const { maxRingBytes } = HANGU_LIMITS;
  const problems: string[] = [];
  const limit = (what: string, value: number, max: number, hint: string): void => {
    if (value > max) problems.push(`${what} of ${value} bytes is over the limit of ${max}; ${hint}`);
  };
  limit('send work-queue entry', sendWqeBytes(demand), MAX_SEND_WQE, 'lower maxSge or maxInline');
  limit('receive work-queue entry', recvWqeBytes(demand.maxSge), MAX_RECV_WQE, 'lower maxSge');
  limit('send ring', plan.sqSlots << plan.sqStrideLog, maxRingBytes, 'lower maxSendWr');
  limit('receive ring', plan.rqSlots << plan.rqStrideLog, maxRingBytes, 'lower maxRecvWr');
  return problems;
}

/**
 * Smallest power of two that is at least `n`, and at least 1. A small integer for the engine too, where it can be:
 * what is computed from a ring's size for every request stays one then.
 */
export function powerOfTwo(n: number): number {
  if (n <= 1) return 1;
  return n <= MAX_SMALL ? 1 << ceilLog2(n) : 2 ** Math.ceil(Math.log2(n));
}

function strideLog(bytes: number): number {
  return Math.max(MIN_STRIDE_LOG, ceilLog2(bytes));
}

/** @param n 2 .. 2^30 */
function ceilLog2(n: number): number {
  return 32 - Math.clz32(n - 1);
}
