/**
 * How much table space the parameters need on one host of a NIC, for each granularity of memory regions. An upper bound:
 * an entry that starts anywhere in a page is counted with one page more than its length fills.
 */
import type { DeviceLimits, TableUse } from '../../../env/deviceLimits.ts';
import type { ParameterValues } from '../../table/parameterTable.ts';
import { sgBytes } from '../../runConfig.ts';
import { CqPlacement } from './cqPlacement.ts';
import type { Granularity } from './regionNumbering.ts';

/** Table entries and memory that a run needs per host. */
export interface MemoryBudget {
  /** Regions that hold data. */
  readonly dataRegions: number;
  /** Those of the NIC's software for queues included. */
  readonly regions: number;
  readonly pages: number;
  readonly cqs: number;
  /** Largest completion queue, entries. */
  readonly cqEntries: number;
}

/** Budget of one host that launches and responds. `area`: bytes that a queue pair uses of each of its areas. */
export function memoryBudget(
  v: ParameterValues,
  granularity: Granularity,
  area: number,
  limits: DeviceLimits,
): MemoryBudget {
  const queuePairs = v.RC_QP_NUM + v.UC_QP_NUM + v.UD_QP_NUM;
  const placement = CqPlacement.of(v, limits.maxProcesses);
  const data = dataRegions(v, granularity, area, limits.pageBytes);
  const cqEntries = queuePairs === 0 ? 0 : placement.entries(0, completionsOf(v));
  const [maxSendWr, maxRecvWr] = [v.MAX_SEND_WR, v.MAX_RECV_WR];
  const queues = { queuePairs, completionQueues: placement.count, cqEntries, maxSendWr, maxRecvWr };
  const tables = limits.queueTables(queues);
  return {
    dataRegions: data.regions,
    regions: data.regions + tables.regions,
    pages: data.pages + tables.pages,
    cqs: placement.count,
    cqEntries,
  };
}

/** Completions of a queue pair that may wait for the host: those of a doorbell, or of full queues if their size is given. */
export function completionsOf(v: ParameterValues): number {
  const doorbell = v.SEND_WQE_NUM + v.WRITE_WQE_NUM + v.READ_WQE_NUM;
  return Math.max(doorbell, v.MAX_SEND_WR) + Math.max(doorbell, v.MAX_RECV_WR);
}

function dataRegions(v: ParameterValues, granularity: Granularity, area: number, pageBytes: number): TableUse {
  const pagesOf = (bytes: number): number => Math.ceil(bytes / pageBytes) + 1;
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
