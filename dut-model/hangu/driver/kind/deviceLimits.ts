/** What a HanGu NIC and this provider can hold. */

import { CQN_LIMIT, MAX_PROCESSES, QPN_LIMIT } from '../../layout/addressMap.ts';
import { PAGE_BYTES } from '../../layout/commands.ts';
import { HANGU_LIMITS } from '../../layout/limits.ts';
import { ARM_DB, CQE_BYTES } from '../../layout/queues.ts';
import type { DeviceLimits } from '../../../../env/deviceLimits.ts';
import { HANGU_CAPABILITIES } from '../hanguSettings.ts';

/** Largest work-queue entry that still fits a 128-byte slot; longer lists and UD double it. */
const SLOT_BYTES = 128;
/** Slots of the published rings. */
const USUAL_SLOTS = 32;
/** Most bytes of inline data: with the segments in front of them they fill a send-queue entry of 256 bytes. */
const MOST_INLINE = 188;

export const HANGU_DEVICE_LIMITS: DeviceLimits = {
  capabilities: HANGU_CAPABILITIES,
  maxQps: HANGU_LIMITS.maxQps,
  maxCqs: HANGU_LIMITS.maxCqs,
  maxCqEntries: HANGU_LIMITS.maxCqEntries,
  maxSge: HANGU_LIMITS.maxSge,
  maxInline: MOST_INLINE,
  maxQpWr: HANGU_LIMITS.maxSendRequests,
  maxRdAtomic: HANGU_LIMITS.maxRdAtomic,
  // Key 0 is none.
  maxRegions: HANGU_LIMITS.maxMpts - 1,
  maxPages: HANGU_LIMITS.maxMtts - 1,
  pageBytes: PAGE_BYTES,
  lastFirstNumbers: {
    qpn: QPN_LIMIT - 1,
    cqn: CQN_LIMIT - 1,
    key: HANGU_LIMITS.maxMpts - 1,
    mtt: HANGU_LIMITS.maxMtts / 2,
    cqIndex: ARM_DB.cqConsumerMask,
  },
  // Number 0 is the kernel.
  maxProcesses: MAX_PROCESSES - 1,
  areaBytes: 2 ** 32,
  // Each ring is a region, and so is each completion queue.
  queueTables: ({ queuePairs, completionQueues, cqEntries, maxSendWr, maxRecvWr }) => {
    const cqPages = Math.ceil((cqEntries * CQE_BYTES) / PAGE_BYTES);
    const ringPages = ringPagesOf(maxSendWr) + ringPagesOf(maxRecvWr + 1);
    return {
      regions: 2 * queuePairs + completionQueues,
      pages: queuePairs * ringPages + completionQueues * cqPages,
    };
  },
};

function ringPagesOf(requests: number): number {
  const slots = 2 ** Math.ceil(Math.log2(Math.max(USUAL_SLOTS, requests)));
  return Math.ceil((slots * 2 * SLOT_BYTES) / PAGE_BYTES);
}
