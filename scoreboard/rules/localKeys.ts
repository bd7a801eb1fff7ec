/** Whether the local keys of a request open its entries to its queue pair (roce-transport.md 4.4, 4.5). */

import { NONE } from '../model/work.ts';
import type { Sge } from '../../agents/verbs/verbsItems.ts';
import { type MrTable, NO_REGION } from '../model/mrTable.ts';

/** A scatter/gather list as a request brings it. */
export interface SgeList {
  readonly sges: readonly Sge[];
  readonly numSge: number;
}

/**
 * Bytes of a list in front of the first one that its keys do not open; `NONE` when they open all.
 * @param pd protection domain of the queue pair; negative where it is not known
 * @param right `ACCESS` bits that the regions must have
 */
export function openBytes(mrs: MrTable, host: number, list: SgeList, pd: number, right: number): number {
  let mr = NO_REGION;
  let known = -1;
  let before = 0;
  for (let i = 0; i < list.numSge; i++) {
    const { lkey, hi, lo, length } = list.sges[i] as Sge;
    if (length === 0) continue;
    // Entries often have one region.
    if (lkey !== known) {
      known = lkey;
      mr = mrs.find(host, lkey);
      if (mr !== NO_REGION && (!mrs.allows(mr, pd, right) || mrs.isWindow(mr))) mr = NO_REGION;
    }
    if (mr === NO_REGION) return before;
    if (!mrs.holds(mr, hi, lo, length)) {
      const offset = mrs.offset(mr, hi, lo);
      return offset < 0 ? before : before + Math.max(0, mrs.length(mr) - offset);
    }
    before += length;
  }
  return NONE;
}
