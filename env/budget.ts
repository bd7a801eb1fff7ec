/**
 * What a set of parameters will need of a host and its NIC, computed before time 0: queue pairs, completion queues,
 * protection and translation entries, ring slots, ICM pages, area sizes. Each need is held against its limit; what
 * does not fit is a problem that says what to lower.
 */

import { CQ_AREA, MAX_PROCESSES } from '../rdma/hangu/addressMap.ts';
import { ICM_ENTRY_BYTES, PAGE_BYTES } from '../rdma/hangu/commands.ts';
import { HANGU_LIMITS } from '../rdma/hangu/limits.ts';
import { CQE_BYTES } from '../rdma/hangu/queues.ts';
import { GRH_BYTES, QP_TYPE } from '../rdma/verbs.ts';
import type { QpType } from '../rdma/verbs.ts';
import { planRings, powerOfTwo, recvWqeBytes, sendWqeBytes } from './providers/hangu/ringPlan.ts';

/** How memory is registered: a region for each scatter/gather entry, each request, or each queue pair's area. */
export type RegionGrain = 'sg' | 'request' | 'qp';

/** The parameters that decide. Counts of requests are per doorbell and queue pair; receives equal sends. */
export interface BudgetConfig {
  readonly hosts: number;
  readonly processes: number;
  readonly rcQps: number;
  readonly ucQps: number;
  readonly udQps: number;
  readonly doorbells: number;
  readonly sends: number;
  readonly writes: number;
  readonly reads: number;
  /** Scatter/gather entries of a request, and bytes of the longest entry. */
  readonly sgNum: number;
  readonly sgBytes: number;
  readonly grain: RegionGrain;
  /** Regions of earlier doorbells stay registered. Default true. */
  readonly keepRegions?: boolean;
  /** Queue pairs that share a completion queue. Default 1. */
  readonly qpsPerCq?: number;
  /** Separate completion queues for sends and receives. Default false. */
  readonly splitCq?: boolean;
}

/** One need of a host. */
export interface BudgetItem {
  readonly name: string;
  readonly need: number;
  readonly limit: number;
  /** What to lower when it does not fit. */
  readonly lower: string;
}

export interface Budget {
  readonly items: readonly BudgetItem[];
  /** One text for each item over its limit; empty when the run fits. */
  readonly problems: readonly string[];
}

/** Bytes of a queue pair's source or receive area. */
const AREA_BYTES = 2 ** 32;
/** Registrations and pages of the event queues. */
const EQS = 2;
const EQ_PAGES = 16;
const FIXED_REGIONS = EQS;

/** Needs of the busiest host, and what does not fit. Pure: usable before anything exists. */
export function computeBudget(config: BudgetConfig): Budget {
  const items = [...objectItems(config), ...queueItems(config), ...tableItems(config), ...areaItems(config)];
  const problems = items
    .filter((i) => i.need > i.limit)
    .map((i) => `${i.name}: ${i.need} needed, ${i.limit} possible; lower ${i.lower}`);
  return { items, problems };
}

function objectItems(c: BudgetConfig): BudgetItem[] {
  return [
    { name: 'processes', need: c.processes, limit: MAX_PROCESSES - 1, lower: 'the number of processes' },
    { name: 'queue pairs', need: qpCount(c), limit: HANGU_LIMITS.maxQps, lower: 'the numbers of queue pairs' },
    {
      name: 'completion queues',
      need: cqCount(c),
      limit: HANGU_LIMITS.maxCqs,
      lower: 'the queue pairs, or share queues',
    },
  ];
}

function queueItems(c: BudgetConfig): BudgetItem[] {
  const demand = heaviest(c);
  const rings = planRings(demand);
  const entries = powerOfTwo((c.qpsPerCq ?? 1) * busiest(c));
  const requests = 'the requests per doorbell';
  const { maxRingBytes, maxSendWqeBytes, maxRecvWqeBytes, maxCqEntries } = HANGU_LIMITS;
  return [
    { name: 'send ring slots', need: rings.sqSlots, limit: maxRingBytes >> rings.sqStrideLog, lower: requests },
    { name: 'receive ring slots', need: rings.rqSlots, limit: maxRingBytes >> rings.rqStrideLog, lower: requests },
    {
      name: 'send entry bytes',
      need: sendWqeBytes(demand),
      limit: maxSendWqeBytes,
      lower: 'the scatter/gather entries',
    },
    {
      name: 'receive entry bytes',
      need: recvWqeBytes(demand.maxSge),
      limit: maxRecvWqeBytes,
      lower: 'the scatter/gather entries',
    },
    {
      name: 'completion queue entries',
      need: entries,
      limit: Math.min(maxCqEntries, CQ_AREA.bytes / CQE_BYTES),
      lower: requests,
    },
  ];
}

function tableItems(c: BudgetConfig): BudgetItem[] {
  const mpts = regionCount(c);
  const mtts = pageCount(c);
  const pages = (entries: number, bytes: number): number => Math.ceil((entries * bytes) / PAGE_BYTES);
  const lower = 'the queue pairs, the doorbells, the requests or the entries, or register larger regions';
  return [
    { name: 'protection entries', need: mpts, limit: HANGU_LIMITS.maxMpts - 1, lower },
    { name: 'translation entries', need: mtts, limit: HANGU_LIMITS.maxMtts, lower: `${lower}, or the amount of data` },
    icmItem('queue pairs', pages(qpCount(c) + 14, ICM_ENTRY_BYTES.qpc), pages(1 << 14, ICM_ENTRY_BYTES.qpc)),
    icmItem('completion queues', cqIcmPages(cqCount(c)), pages(1 << 13, ICM_ENTRY_BYTES.cqc)),
    icmItem(
      'protection entries',
      pages(mpts + 1, ICM_ENTRY_BYTES.mpt),
      pages(HANGU_LIMITS.maxMpts, ICM_ENTRY_BYTES.mpt),
    ),
    icmItem('translation entries', pages(mtts, ICM_ENTRY_BYTES.mtt), pages(HANGU_LIMITS.maxMtts, ICM_ENTRY_BYTES.mtt)),
  ];
}

function areaItems(c: BudgetConfig): BudgetItem[] {
  const bytes = areaBytes(c);
  return [
    {
      name: 'bytes of an area',
      need: bytes,
      limit: AREA_BYTES,
      lower: 'the amount of data, the requests or the doorbells',
    },
  ];
}

function icmItem(table: string, need: number, limit: number): BudgetItem {
  return { name: `ICM pages of ${table}`, need, limit, lower: `the ${table}` };
}

/** Numbers start in the middle of the range and wrap, so that the pages are a few more than the entries fill. */
function cqIcmPages(cqs: number): number {
  return Math.min((1 << 13) / 64, Math.ceil(cqs / 64) + 1);
}

function qpCount(c: BudgetConfig): number {
  return c.rcQps + c.ucQps + c.udQps;
}

function cqCount(c: BudgetConfig): number {
  const share = c.qpsPerCq ?? 1;
  const groups = Math.ceil(qpCount(c) / share) + (share > 1 ? c.processes - 1 : 0);
  return (c.splitCq === true ? 2 : 1) * Math.min(groups, qpCount(c));
}

/** Completions of a queue pair and doorbell. */
function busiest(c: BudgetConfig): number {
  return Math.max(1, c.sends * 2 + writesOf(c) + readsOf(c));
}

function writesOf(c: BudgetConfig): number {
  return c.rcQps + c.ucQps > 0 ? c.writes : 0;
}

function readsOf(c: BudgetConfig): number {
  return c.rcQps > 0 ? c.reads : 0;
}

/** The queue pair with the largest entries. */
function heaviest(c: BudgetConfig): { type: QpType; maxSendWr: number; maxRecvWr: number; maxSge: number } {
  const ud = c.udQps > 0;
  const requests = Math.max(1, c.sends + writesOf(c) + readsOf(c));
  return {
    type: ud ? QP_TYPE.ud : QP_TYPE.rc,
    maxSendWr: requests,
    maxRecvWr: Math.max(1, c.sends),
    maxSge: c.sgNum + (ud ? 1 : 0),
  };
}

/** Data regions that the requests of one doorbell of a queue pair of a type need on its own host. */
function regionsPerDoorbell(c: BudgetConfig, type: QpType): number {
  const writes = type === QP_TYPE.ud ? 0 : c.writes;
  const reads = type === QP_TYPE.rc ? c.reads : 0;
  const local = c.grain === 'sg' ? c.sgNum : 1;
  const grh = type === QP_TYPE.ud ? c.sends : 0;
  return c.sends * local * 2 + grh + (writes + reads) * (local + 1);
}

function regionCount(c: BudgetConfig): number {
  const rings = 2 * qpCount(c) + cqCount(c) + FIXED_REGIONS;
  if (c.grain === 'qp') return rings + 2 * qpCount(c);
  const doorbells = c.keepRegions === false ? 1 : c.doorbells;
  const perType = (n: number, type: QpType): number => n * regionsPerDoorbell(c, type) * doorbells;
  return rings + perType(c.rcQps, QP_TYPE.rc) + perType(c.ucQps, QP_TYPE.uc) + perType(c.udQps, QP_TYPE.ud);
}

function pageCount(c: BudgetConfig): number {
  const rings = planRings(heaviest(c));
  const ring =
    Math.ceil((rings.sqSlots << rings.sqStrideLog) / PAGE_BYTES) +
    Math.ceil((rings.rqSlots << rings.rqStrideLog) / PAGE_BYTES);
  const cqPages = Math.ceil((powerOfTwo((c.qpsPerCq ?? 1) * busiest(c)) * CQE_BYTES) / PAGE_BYTES);
  const fixed = ring * qpCount(c) + cqPages * cqCount(c) + EQS * EQ_PAGES;
  if (c.grain === 'qp') return fixed + 2 * qpCount(c) * pagesOf(areaBytes(c));
  const data = regionCount(c) - 2 * qpCount(c) - cqCount(c) - FIXED_REGIONS;
  return fixed + data * pagesOf(c.grain === 'sg' ? c.sgBytes : c.sgBytes * c.sgNum);
}

/** Pages that a region of some bytes at any address may touch. */
function pagesOf(bytes: number): number {
  return Math.ceil((bytes + PAGE_BYTES - 1) / PAGE_BYTES);
}

/** Bytes of an area that all doorbells together use; a UD receive holds a GRH in front of each message. */
function areaBytes(c: BudgetConfig): number {
  const requests = 2 * c.sends + c.writes + c.reads;
  const grh = c.udQps > 0 ? GRH_BYTES * c.sends : 0;
  return c.doorbells * (requests * c.sgNum * c.sgBytes + grh);
}
