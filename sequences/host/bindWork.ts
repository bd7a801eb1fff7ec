/**
 * Turns planned requests into work requests: areas and offsets become addresses, region numbers become keys. Runs for
 * every request, so it writes into work requests that are used again.
 */
import type { RecvWr, SendWr, Sge } from '../../agents/verbs/verbsItems.ts';
import { QP_TYPE, SEND_FLAG, WR_OPCODE } from '../../rdma/verbs.ts';
import type { PlannedEntry, PlannedRequest, WorkPlan } from '../scenario/workPlan.ts';
import type { Endpoint } from './endpoint.ts';

const TWO_32 = 2 ** 32;
/** No area and no region. */
const NEITHER = -1;
/** A work request's id: the index of its queue pair, and in these low bits its number in the doorbell. */
export const WR_ID_BITS = 6;

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
    const { opcode, flags, imm, numSge, entries } = plan.at(k);
    wr.wrId = firstId + k;
    wr.opcode = opcode;
    wr.flags = flags | SEND_FLAG.signaled;
    wr.imm = imm;
    wr.setNumSge(numSge);
    bytes += bindSges(entries, numSge, wr.sges, local);
    if (ud) bindDestination(wr, local, peer);
    else if (opcode !== WR_OPCODE.send && opcode !== WR_OPCODE.sendWithImm) bindRemote(plan.at(k), wr, peer);
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

/** Returns the bytes of all entries. Those of a request mostly share area and region, whose address and key are kept. */
function bindSges(entries: readonly PlannedEntry[], count: number, sges: readonly Sge[], local: Endpoint): number {
  const { bases, firstBase, keys, firstKey } = local;
  let area = NEITHER;
  let region = NEITHER;
  let hi = 0;
  let start = 0;
  let lkey = 0;
  let bytes = 0;
  for (let g = 0; g < count; g++) {
    const entry = entries[g] as PlannedEntry;
    const sge = sges[g] as Sge;
    if (entry.area !== area) {
      ({ area } = entry);
      const base = firstBase + (area << 1);
      hi = bases[base] as number;
      start = bases[base + 1] as number;
    }
    if (entry.region !== region) {
      ({ region } = entry);
      lkey = keys[firstKey + region] as number;
    }
    const { length } = entry;
    const lo = (start + entry.offset) | 0;
    sge.hi = lo >>> 0 >= start >>> 0 ? hi : (hi + 1) | 0;
    sge.lo = lo;
    sge.length = length;
    sge.lkey = lkey;
    bytes += length;
  }
  return bytes;
}

function bindRemote(request: PlannedRequest, wr: SendWr, peer: Endpoint): void {
  const base = peer.firstBase + (request.remoteArea << 1);
  const hi = peer.bases[base] as number;
  const lo = ((peer.bases[base + 1] as number) >>> 0) + request.remoteOffset;
  wr.remoteHi = lo < TWO_32 ? hi : (hi + 1) | 0;
  wr.remoteLo = lo | 0;
  wr.rkey = peer.keys[peer.firstKey + request.remoteRegion] as number;
}

function bindDestination(wr: SendWr, local: Endpoint, peer: Endpoint): void {
  wr.ah = local.ah;
  wr.remoteQpn = peer.qp.qpn;
  wr.remoteQkey = peer.qp.qkey;
}
