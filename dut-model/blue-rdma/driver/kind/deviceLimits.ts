/** What a blue-rdma NIC and its driver can hold. Queues are the driver's own and take nothing of the NIC's tables. */
import { BLUE_LIMITS, PAGE_BYTES, STRIDE } from '../../layout/limits.ts';
import { MAX_RAW_FRAME } from '../../layout/descriptors.ts';
import type { DeviceLimits } from '../../../../env/deviceLimits.ts';
import { BLUE_CAPABILITIES } from '../blueSettings.ts';

export const BLUE_DEVICE_LIMITS: DeviceLimits = {
  capabilities: BLUE_CAPABILITIES,
  // Index 0 of the tables is reserved.
  maxQps: BLUE_LIMITS.maxQps - 1,
  maxCqs: BLUE_LIMITS.maxCqs,
  maxCqEntries: BLUE_LIMITS.maxCqEntries,
  maxQpWr: BLUE_LIMITS.maxSendWr,
  maxSge: BLUE_LIMITS.maxSge,
  maxInline: 0,
  maxRawFrame: MAX_RAW_FRAME,
  maxRegions: BLUE_LIMITS.maxMrs - 1,
  maxPages: BLUE_LIMITS.pageEntries,
  maxRegionBytes: BLUE_LIMITS.maxRegionBytes,
  pageBytes: PAGE_BYTES,
  psnGranularity: STRIDE,
  usualAckTimeout: 8,
  // No time-out of reads, and nothing that tells the driver of one that fails.
  failedReads: false,
  // Its driver has no way to take its rings back from a card that has forgotten them.
  nicReset: false,
  maxProcesses: 2047,
  areaBytes: 2 ** 32,
  queueTables: () => ({ regions: 0, pages: 0 }),
};
