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

/** All of one host, most values included. @public */
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
  /** READs and atomics that a queue pair may have outstanding. Default 255. */
  readonly maxRdAtomic?: number;
  /** Entries of a scatter/gather list; a UD receive has one more than its message, for the GRH. */
  readonly maxSge: number;
  /** Bytes of inline data of a request. */
  readonly maxInline: number;
  /** Bytes of a frame that a raw packet queue pair sends. Default: an MTU and 18. */
  readonly maxRawFrame?: number;
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

/** Those of a NIC of which nothing is known. @public */
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
    cqOverflow: true,
    resizeCq: true,
    ipv6: true,
    sqd: true,
    naks: true,
    domains: true,
    raw: true,
    zeroBased: true,
    emptyRegions: true,
    sharedReceives: true,
    queryCq: true,
    queryMr: true,
    cardMemory: false,
    taggedKeys: true,
    memoryWindows: true,
    fastRegistration: true,
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

const UNLIMITED = Number.POSITIVE_INFINITY;

/** READs and atomics that a queue pair may have outstanding. */
export function mostRdAtomic({ maxRdAtomic = 255 }: DeviceLimits): number {
  return maxRdAtomic;
}

/** Fields of which the least one counts. */
type LeastField =
  | 'maxQps'
  | 'maxCqs'
  | 'maxCqEntries'
  | 'maxQpWr'
  | 'maxSge'
  | 'maxInline'
  | 'maxRegions'
  | 'maxPages'
  | 'maxRegionBytes'
  | 'pageBytes'
  | 'maxProcesses'
  | 'areaBytes';

/** What every one of several NICs can hold: a run whose hosts have NICs of different kinds is drawn and checked by that. */
export function commonLimits([first, ...others]: readonly [DeviceLimits, ...DeviceLimits[]]): DeviceLimits {
  return others.reduce(common, first);
}

function common(a: DeviceLimits, b: DeviceLimits): DeviceLimits {
  const least = (field: LeastField): number => Math.min(a[field] ?? UNLIMITED, b[field] ?? UNLIMITED);
  const capabilities = Object.fromEntries(
    Object.entries(a.capabilities).map(([name, can]) => [
      name,
      can && b.capabilities[name as keyof ProviderCapabilities],
    ]),
  ) as unknown as ProviderCapabilities;
  // Each host has its data on the card, or has no such memory, whatever the others have.
  const cardMemory = a.capabilities.cardMemory || b.capabilities.cardMemory;
  const { maxQpWr, maxRegionBytes } = { maxQpWr: least('maxQpWr'), maxRegionBytes: least('maxRegionBytes') };
  const maxRdAtomic = Math.min(mostRdAtomic(a), mostRdAtomic(b));
  const usualAckTimeout = Math.max(a.usualAckTimeout ?? 0, b.usualAckTimeout ?? 0);
  return {
    capabilities: { ...capabilities, cardMemory },
    ports: Math.min(a.ports ?? 1, b.ports ?? 1),
    maxQps: least('maxQps'),
    maxCqs: least('maxCqs'),
    maxCqEntries: least('maxCqEntries'),
    ...(maxQpWr === UNLIMITED ? {} : { maxQpWr }),
    maxRdAtomic,
    maxSge: least('maxSge'),
    maxInline: least('maxInline'),
    maxRegions: least('maxRegions'),
    // Small pages, and few of them: what fits so fits each.
    maxPages: least('maxPages'),
    pageBytes: least('pageBytes'),
    ...(maxRegionBytes === UNLIMITED ? {} : { maxRegionBytes }),
    psnGranularity: Math.max(a.psnGranularity ?? 1, b.psnGranularity ?? 1),
    ...commonFirstNumbers(a.lastFirstNumbers, b.lastFirstNumbers),
    ...(usualAckTimeout === 0 ? {} : { usualAckTimeout }),
    failedReads: a.failedReads !== false && b.failedReads !== false,
    nicReset: a.nicReset !== false && b.nicReset !== false,
    maxProcesses: least('maxProcesses'),
    areaBytes: least('areaBytes'),
    queueTables: (queues) => {
      const [one, other] = [a.queueTables(queues), b.queueTables(queues)];
      return { regions: Math.max(one.regions, other.regions), pages: Math.max(one.pages, other.pages) };
    },
  };
}

/** Software that numbers by itself takes none. */
function commonFirstNumbers(
  a: FirstNumbers | undefined,
  b: FirstNumbers | undefined,
): Pick<DeviceLimits, 'lastFirstNumbers'> {
  if (a === undefined || b === undefined) return {};
  const { qpn, cqn, key, mtt, cqIndex } = a;
  const lastFirstNumbers = {
    qpn: Math.min(qpn, b.qpn),
    cqn: Math.min(cqn, b.cqn),
    key: Math.min(key, b.key),
    mtt: Math.min(mtt, b.mtt),
    cqIndex: Math.min(cqIndex, b.cqIndex),
  };
  return { lastFirstNumbers };
}
