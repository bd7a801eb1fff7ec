/**
 * What a kind of NIC can hold, known before there is one: parameters are checked and drawn by it, so that a run that
 * cannot be is refused before time 0. What the device itself says when it is opened (`DeviceAttributes`) may be less.
 */

import type { FirstNumbers } from './settings/firstNumbers.ts';
import type { ProviderCapabilities } from './verbs/capabilities.ts';

/** Entries of the tables by which a NIC knows memory. */
export interface TableUse {
  readonly regions: number;
  readonly pages: number;
}

/** The queues of a host. */
export interface QueueDemand {
  readonly queuePairs: number;
  readonly completionQueues: number;
  /** Entries of the largest completion queue. */
  readonly cqEntries: number;
  /** Requests that a queue must hold at a time, 0 = what a doorbell brings. */
  readonly maxSendWr: number;
  readonly maxRecvWr: number;
}

/** All of one host, most values included. */
export interface DeviceLimits {
  /** What it can do at all: random runs draw nothing else. */
  readonly capabilities: ProviderCapabilities;
  /** Ethernet ports, 1 to 4, numbered from 1. Default 1. */
  readonly ports?: number;
  readonly maxQps: number;
  readonly maxCqs: number;
  readonly maxCqEntries: number;
  /** Requests of a queue. Default: as many as there may be parameters for. */
  readonly maxQpWr?: number;
  /** Entries of a scatter/gather list; a UD receive has one more than its message, for the GRH. */
  readonly maxSge: number;
  /** Bytes of inline data of a request. */
  readonly maxInline: number;
  /** Memory regions, and pages of them; those that the NIC's software needs for queues (`queueTables`) included. */
  readonly maxRegions: number;
  readonly maxPages: number;
  /** Bytes of a memory region. Default: as many as there are. */
  readonly maxRegionBytes?: number;
  /** Bytes of such a page, a power of two. */
  readonly pageBytes: number;
  /**
   * First PSNs are multiples of this power of two: what is drawn is rounded down, and a scenario that says others is refused.
   * Default 1.
   */
  readonly psnGranularity?: number;
  /** Largest first numbers that its software takes. Default: it numbers objects by itself. */
  readonly lastFirstNumbers?: FirstNumbers;
  /** ACK_TIMEOUT where nobody has chosen one, for a NIC whose usual one is not that of others. */
  readonly usualAckTimeout?: number;
  /**
   * Its software hears of reads of host memory that fail or have no answer, and of posted writes that do. Default true; without,
   * fault rules for that are refused, and none are drawn.
   */
  readonly failedReads?: boolean;
  /** Its software can take a reset of its NIC while it is open. Default true; without, `nic_reset` is refused. */
  readonly nicReset?: boolean;
  /** Processes, numbered from 1. */
  readonly maxProcesses: number;
  /** Bytes of each of the two data areas of a queue pair, at most 2^32. */
  readonly areaBytes: number;
  /** Regions and pages that queues take of those above: an upper bound. */
  queueTables(queues: QueueDemand): TableUse;
}

/** Those of a NIC of which nothing is known. */
export const NO_LIMITS: DeviceLimits = {
  capabilities: {
    rc: true,
    uc: true,
    ud: true,
    rdmaRead: true,
    atomics: true,
    inline: true,
    unsignaled: true,
    events: true,
    resizeCq: true,
    ipv6: true,
    sqd: true,
    naks: true,
    domains: true,
    zeroBased: true,
  },
  maxQps: Number.POSITIVE_INFINITY,
  maxCqs: Number.POSITIVE_INFINITY,
  maxCqEntries: Number.POSITIVE_INFINITY,
  maxSge: Number.POSITIVE_INFINITY,
  maxInline: Number.POSITIVE_INFINITY,
  maxRegions: Number.POSITIVE_INFINITY,
  maxPages: Number.POSITIVE_INFINITY,
  pageBytes: 4096,
  maxProcesses: Number.POSITIVE_INFINITY,
  areaBytes: 2 ** 32,
  queueTables: () => ({ regions: 0, pages: 0 }),
};
