/**
 * What a run does, as plain data: how many hosts and processes, which queue pairs are joined, which memory is
 * registered, and what each queue pair is given with each doorbell. A scenario knows no NIC, no address and no key:
 * memory is named by area, offset and region number, and the player binds them to what the host API hands out.
 *
 * Two forms carry the same content:
 *   - compact: parameters and a seed. It expands on demand, one queue pair and doorbell at a time, into buffers that
 *     the caller owns (`DirectSource`, `RandomSource`), so millions of requests cost no list of requests.
 *   - explicit: JSON that can be edited and played (`scenario/explicitScenario.ts`, `ExplicitSource`).
 * Both are read through `ScenarioSource`.
 *
 * Requests are ordered: a source gives the same answer for the same (host, queue pair, doorbell) whenever it is
 * asked, in any order, so that the two ends of a connection can be expanded independently.
 */
import type { QpType } from '../../rdma/verbs.ts';
import type { RegionPlan } from './regionPlan.ts';
import type { WorkPlan } from './workPlan.ts';

/**
 * The two halves of a queue pair's data memory: what it sends from, and where things arrive. They lie where `+MEM_DOMAIN` says; those
 * on the card are named where a scenario says so itself, and lie in host memory of a NIC that has none.
 */
export const AREA = { source: 0, receive: 1, cardSource: 2, cardReceive: 3 } as const;
export type AreaName = keyof typeof AREA;
export type Area = (typeof AREA)[AreaName];
export const AREA_NAMES = Object.keys(AREA) as [AreaName, ...AreaName[]];

/** The same half on the card. */
export function onCard(area: AreaName): AreaName {
  return area === 'source' ? 'cardSource' : area === 'receive' ? 'cardReceive' : area;
}
/** Bytes of each area at most: of some NICs they hold less (env/deviceLimits.ts). */
export const AREA_BYTES = 2 ** 32;
/** Bytes of inline data at most, and the highest process number: what a scenario can say. */
export const LARGEST_INLINE = 188;
export const MAX_PROCESS_NUMBER = 2047;
/** Requests of one queue of a queue pair that a doorbell may have: a power of two. */
export const MOST_PER_DOORBELL = 64;

/** Argument of `regions` for those that are registered once, before the first doorbell. */
export const BRING_UP = -1;

/** A completion queue of a host. */
export interface CqPlan {
  /** Process number, 1 .. processes. */
  readonly process: number;
  /** Completions that may be in it at a time. */
  readonly entries: number;
}

/** The other end of a queue pair: host, and index in its list. */
export interface PeerPlan {
  readonly host: number;
  readonly qp: number;
}

/** A queue pair of a host. */
export interface QpPlan {
  readonly type: QpType;
  /** Process number, 1 .. processes. */
  readonly process: number;
  /** Indices in the host's list of completion queues. */
  readonly sendCq: number;
  readonly recvCq: number;
  /** Undefined for a queue pair that stays without work. */
  readonly peer: PeerPlan | undefined;
  /** First PSN of its requests. */
  readonly psn: number;
  /** Path MTU in bytes. */
  readonly mtu: number;
  /** Requests that may be posted at a time. */
  readonly maxSendWr: number;
  readonly maxRecvWr: number;
  /** Entries of the longest scatter/gather list, a UD receive's GRH entry included. */
  readonly maxSge: number;
  /** Bytes of the longest message whose data may be inline, 0 = none. */
  readonly maxInline: number;
  /** Every send request completes, whether it asks for that or not. */
  readonly signalAll: boolean;
}

/** Hosts, processes and queues, without work for them. */
export interface TopologyPlan {
  readonly hosts: number;
  /** Processes per host, numbered from 1. */
  readonly processes: number;
  qpCount(host: number): number;
  qp(host: number, index: number): QpPlan;
  cqCount(host: number): number;
  cq(host: number, index: number): CqPlan;
}

/** A scenario, expanded piece by piece. */
export interface ScenarioSource extends TopologyPlan {
  /** Batches. */
  readonly doorbells: number;
  /** Capacities that the buffers given to `sends`, `recvs` and `regions` need. */
  readonly maxRequests: number;
  readonly maxSge: number;
  /** Region numbers of a queue pair lie in 0 .. regionNumbers - 1. */
  readonly regionNumbers: number;
  /** Queue pairs of a host that may have work: those of this index and above have none in any doorbell. */
  busyQps(host: number): number;
  /** Send-queue requests of the whole scenario. */
  requestCount(): number;
  /** Some request is a READ. */
  hasReads(): boolean;
  /** True when some request may have its data inline. */
  hasInline(): boolean;
  /** Numbers below this belong to regions that are registered at bring-up; the others are new with each doorbell. */
  readonly lastingRegions: number;
  /** Memory to register for a queue pair before a doorbell (or `BRING_UP`). Replaces the content of `out`. */
  regions(host: number, qp: number, doorbell: number, out: RegionPlan): void;
  /** Send-queue requests of a doorbell in posting order. Replaces the content of `out`. */
  sends(host: number, qp: number, doorbell: number, out: WorkPlan): void;
  /** Receive-queue requests of a doorbell in posting order. Replaces the content of `out`. */
  recvs(host: number, qp: number, doorbell: number, out: WorkPlan): void;
}
