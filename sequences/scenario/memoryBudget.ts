/**
 * How much table space the parameters need on one host, for each granularity of memory regions. An upper bound: an
 * entry that starts anywhere in a page is counted with one page more than its length fills.
 */
import { PAGE_BYTES } from '../../rdma/hangu/commands.ts';
import type { ParameterValues } from '../../config/parameterTable.ts';
import { sgBytes } from '../../config/runConfig.ts';
import { CqPlacement } from './cqPlacement.ts';
import type { Granularity } from './regionNumbering.ts';

/** Table entries and memory that a run needs per host. */
export interface MemoryBudget {
  /** Regions that hold data; rings and completion queues are counted in `mpts`. */
  readonly dataRegions: number;
  readonly mpts: number;
  readonly mtts: number;
  readonly cqs: number;
  /** Largest completion queue, entries. */
  readonly cqEntries: number;
}

/** Largest work-queue entry that still fits a 128-byte slot; longer lists and UD double it. */
const SLOT_BYTES = 128;
/** Slots of the published rings. */
const USUAL_SLOTS = 32;

/** Budget of one host that launches and responds. `area`: bytes that a queue pair uses of each of its areas. */
export function memoryBudget(v: ParameterValues, granularity: Granularity, area: number): MemoryBudget {
  const qps = v.RC_QP_NUM + v.UC_QP_NUM + v.UD_QP_NUM;
  const placement = new CqPlacement({ qps, processes: v.PROC_NUM, shared: v.SHARED_CQ, split: v.SPLIT_CQ });
  const data = dataRegions(v, granularity, area);
  const cqEntries = qps === 0 ? 0 : placement.entries(0, completionsOf(v));
  const cqPages = Math.ceil((cqEntries * 32) / PAGE_BYTES);
  const ringPages = ringPagesOf(v.MAX_SEND_WR) + ringPagesOf(v.MAX_RECV_WR + 1);
  return {
    dataRegions: data.regions,
    mpts: data.regions + 2 * qps + placement.count,
    mtts: data.pages + qps * ringPages + placement.count * cqPages,
    cqs: placement.count,
    cqEntries,
  };
}

/** Completions of a queue pair that may wait for the host: those of a doorbell, or of full queues if their size is given. */
export function completionsOf(v: ParameterValues): number {
  const doorbell = v.SEND_WQE_NUM + v.WRITE_WQE_NUM + v.READ_WQE_NUM;
  return Math.max(doorbell, v.MAX_SEND_WR) + Math.max(doorbell, v.MAX_RECV_WR);
}

function ringPagesOf(requests: number): number {
  const slots = 2 ** Math.ceil(Math.log2(Math.max(USUAL_SLOTS, requests)));
  return Math.ceil((slots * 2 * SLOT_BYTES) / PAGE_BYTES);
}

interface RegionCount {
  readonly regions: number;
  readonly pages: number;
}

function dataRegions(v: ParameterValues, granularity: Granularity, area: number): RegionCount {
  const { WRITE_WQE_NUM: w, READ_WQE_NUM: r, SEND_WQE_NUM: s, SG_NUM: g, DB_NUM: d } = v;
  const entry = sgBytes(v);
  const qps = v.RC_QP_NUM + v.UC_QP_NUM + v.UD_QP_NUM;
  if (granularity === 'qp') {
    return { regions: 2 * qps, pages: 2 * pagesOf(area) * qps };
  }
  const perRequest =
    granularity === 'sg' ? { regions: g, pages: g * pagesOf(entry) } : { regions: 1, pages: pagesOf(g * entry) };
  const remotePages = pagesOf(g * entry);
  const rdma = v.RC_QP_NUM * (w + r) + v.UC_QP_NUM * w;
  const messages = qps * s;
  const local = rdma + 2 * messages;
  const grh = v.UD_QP_NUM * s;
  return {
    regions: d * (local * perRequest.regions + rdma + grh),
    pages: d * (local * perRequest.pages + rdma * remotePages + 2 * grh),
  };
}

function pagesOf(bytes: number): number {
  return Math.ceil(bytes / PAGE_BYTES) + 1;
}
