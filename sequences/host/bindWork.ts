/**
 * Turns planned requests into work requests: areas and offsets become addresses, region numbers become keys. Runs for
 * every request, so it writes into work requests that are used again.
 */
import type { RecvWr, SendWr, Sge } from '../../agents/verbs/verbsItems.ts';
import { QP_TYPE, SEND_FLAG, WR_OPCODE } from '../../rdma/verbs.ts';
import type { WorkPlan } from '../scenario/workPlan.ts';
import type { Endpoint } from './endpoint.ts';

const TWO_32 = 2 ** 32;
/** A work request's id: the index of its queue pair, and in these low bits its number in the doorbell. */
export const WR_ID_BITS = 6;

/** Binds send-queue requests; `firstId` is the id of the first. */
export function bindSends(
  plan: WorkPlan,
  wrs: readonly SendWr[],
  local: Endpoint,
  peer: Endpoint,
  firstId: number,
): void {
  const ud = local.qp.type === QP_TYPE.ud;
  for (let k = 0; k < plan.count; k++) {
    const wr = wrs[k] as SendWr;
    wr.wrId = firstId + k;
    wr.opcode = plan.opcode[k] as number;
    wr.flags = (plan.flags[k] as number) | SEND_FLAG.signaled;
    wr.imm = plan.imm[k] as number;
    const count = plan.numSge[k] as number;
    wr.setNumSge(count);
    bindSges(plan, k, count, wr.sges, local);
    if (ud) bindDestination(wr, local, peer);
    else if (wr.opcode !== WR_OPCODE.send && wr.opcode !== WR_OPCODE.sendWithImm) bindRemote(plan, k, wr, peer);
  }
}

/** Binds receive-queue requests. */
export function bindRecvs(plan: WorkPlan, wrs: readonly RecvWr[], local: Endpoint, firstId: number): void {
  for (let k = 0; k < plan.count; k++) {
    const wr = wrs[k] as RecvWr;
    wr.wrId = firstId + k;
    const count = plan.numSge[k] as number;
    wr.setNumSge(count);
    bindSges(plan, k, count, wr.sges, local);
  }
}

function bindSges(plan: WorkPlan, k: number, count: number, sges: readonly Sge[], local: Endpoint): void {
  const { area, offset, length, region } = plan;
  const { bases, firstBase, keys, firstKey } = local;
  let at = k * plan.stride;
  for (let g = 0; g < count; g++, at++) {
    const sge = sges[g] as Sge;
    const base = firstBase + ((area[at] as number) << 1);
    const hi = bases[base] as number;
    const lo = ((bases[base + 1] as number) >>> 0) + (offset[at] as number);
    sge.hi = lo < TWO_32 ? hi : (hi + 1) | 0;
    sge.lo = lo | 0;
    sge.length = length[at] as number;
    sge.lkey = keys[firstKey + (region[at] as number)] as number;
  }
}

function bindRemote(plan: WorkPlan, k: number, wr: SendWr, peer: Endpoint): void {
  const base = peer.firstBase + ((plan.remoteArea[k] as number) << 1);
  const lo = ((peer.bases[base + 1] as number) >>> 0) + (plan.remoteOffset[k] as number);
  wr.remoteHi = lo < TWO_32 ? (peer.bases[base] as number) : ((peer.bases[base] as number) + 1) | 0;
  wr.remoteLo = lo | 0;
  wr.rkey = peer.keys[peer.firstKey + (plan.remoteRegion[k] as number)] as number;
}

function bindDestination(wr: SendWr, local: Endpoint, peer: Endpoint): void {
  wr.ah = local.ah;
  wr.remoteQpn = peer.qp.qpn;
  wr.remoteQkey = peer.qp.qkey;
}
