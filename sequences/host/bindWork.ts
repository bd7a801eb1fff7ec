/**
 * Turns planned requests into work requests: areas and offsets become addresses, region numbers become keys. Runs for
 * every request, so it writes into work requests that are used again.
 */
import type { RecvWr, SendWr, Sge } from '../../agents/verbs/verbsItems.ts';
import { QP_TYPE, SEND_FLAG, WR_OPCODE } from '../../rdma/verbs.ts';
import { isAtomic } from '../../config/scenario/drawn/atomicDraws.ts';
import { MOST_PER_DOORBELL } from '../../config/scenario/scenario.ts';
import type { PlannedEntry, PlannedRequest, WorkPlan } from '../../config/scenario/workPlan.ts';
import type { Endpoint } from './endpoint.ts';
import { TWO_32 } from '../../uvm/bytes/words.ts';

/** A work request's id: the index of its queue pair, and in these low bits its number in the doorbell. */
export const WR_ID_BITS = 31 - Math.clz32(MOST_PER_DOORBELL);

/** Binds send-queue requests; `firstId` is the id of the first. Returns the bytes of all messages. */
export function bindSends(
  plan: WorkPlan,
  wrs: readonly SendWr[],
  local: Endpoint,
  peer: Endpoint,
  firstId: number,
): number {
  const ud = local.qp.type === QP_TYPE.ud;
  let bytes = 0;
  for (let k = 0; k < plan.count; k++) {
    const wr = wrs[k] as SendWr;
    const { opcode, flags, signaled, imm, numSge, entries } = plan.at(k);
    wr.wrId = firstId + k;
    wr.opcode = opcode;
    wr.flags = signaled ? flags | SEND_FLAG.signaled : flags;
    wr.imm = imm;
    wr.setNumSge(numSge);
    bytes += bindSges(entries, numSge, wr.sges, local);
    if (ud) bindDestination(wr, local, peer);
    else if (opcode !== WR_OPCODE.send && opcode !== WR_OPCODE.sendWithImm) bindRemote(plan.at(k), wr, peer);
    if (isAtomic(opcode)) bindOperands(plan.at(k), wr);
  }
  return bytes;
}

/** Binds receive-queue requests. */
export function bindRecvs(plan: WorkPlan, wrs: readonly RecvWr[], local: Endpoint, firstId: number): void {
  for (let k = 0; k < plan.count; k++) {
    const wr = wrs[k] as RecvWr;
    const { numSge, entries } = plan.at(k);
    wr.wrId = firstId + k;
    wr.setNumSge(numSge);
    bindSges(entries, numSge, wr.sges, local);
  }
}

/** Returns the bytes of all entries. */
function bindSges(entries: readonly PlannedEntry[], count: number, sges: readonly Sge[], local: Endpoint): number {
  if (count === 0) return 0;
  const { area, region } = entries[0] as PlannedEntry;
  const base = local.firstBase + (area << 1);
  const hi = local.bases[base] as number;
  const start = local.bases[base + 1] as number;
  const lkey = local.keys[local.firstKey + region] as number;
  let bytes = 0;
  let others = 0;
  for (let g = 0; g < count; g++) {
    const entry = entries[g] as PlannedEntry;
    const sge = sges[g] as Sge;
    const { length } = entry;
    const lo = (start + entry.offset) | 0;
    sge.hi = hi;
    sge.lo = lo;
    sge.length = length;
    sge.lkey = lkey;
    bytes += length;
    others |= (entry.area ^ area) | (entry.region ^ region) | (lo >>> 0 < start >>> 0 ? 1 : 0);
  }
  // Mostly all are in one area and one region, below a 4 GiB boundary.
  if (others !== 0) bindEach(entries, count, sges, local);
  return bytes;
}

/** Looks up area and region of each entry. */
function bindEach(entries: readonly PlannedEntry[], count: number, sges: readonly Sge[], local: Endpoint): void {
  for (let g = 0; g < count; g++) {
    const { area, region, offset } = entries[g] as PlannedEntry;
    const sge = sges[g] as Sge;
    const base = local.firstBase + (area << 1);
    const start = local.bases[base + 1] as number;
    const lo = (start + offset) | 0;
    sge.hi = ((local.bases[base] as number) + (lo >>> 0 < start >>> 0 ? 1 : 0)) | 0;
    sge.lo = lo;
    sge.lkey = local.keys[local.firstKey + region] as number;
  }
}

function bindRemote(request: PlannedRequest, wr: SendWr, joined: Endpoint): void {
  const peer = request.remoteQp < 0 ? joined : (joined.siblings[request.remoteQp] as Endpoint);
  const base = peer.firstBase + (request.remoteArea << 1);
  const hi = peer.bases[base] as number;
  const lo = ((peer.bases[base + 1] as number) >>> 0) + request.remoteOffset;
  wr.remoteHi = lo < TWO_32 ? hi : (hi + 1) | 0;
  wr.remoteLo = lo | 0;
  wr.rkey = peer.keys[peer.firstKey + request.remoteRegion] as number;
}

function bindOperands({ compareHi, compareLo, swapHi, swapLo }: PlannedRequest, wr: SendWr): void {
  wr.compareHi = compareHi;
  wr.compareLo = compareLo;
  wr.swapHi = swapHi;
  wr.swapLo = swapLo;
}

function bindDestination(wr: SendWr, local: Endpoint, peer: Endpoint): void {
  wr.ah = local.ah;
  wr.remoteQpn = peer.qp.qpn;
  wr.remoteQkey = peer.qp.qkey;
}
