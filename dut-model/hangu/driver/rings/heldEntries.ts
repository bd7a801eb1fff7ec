/** What translation entries of a HanGu NIC are for: regions of software, and rings. */

import type { HeldEntries } from '../../../../agents/pcie/faults/place/accessPlace.ts';
import { ICM_BASE_HI, ICM_PHYSICAL_OFFSET_HI } from '../../layout/addressMap.ts';
import type { HanguCq, HanguQp, HanguSrq } from '../hanguObjects.ts';
import { entriesAt } from '../kind/places.ts';

/** Entries of one table, both ends included. */
interface Entries {
  readonly table: 'mpt' | 'mtt';
  readonly first: number;
  readonly last: number;
}

/** The entries of regions or pages that `length` bytes at an address touch; undefined where it touches none. */
export function translationsAt(hi: number, lo: number, length: number): Entries | undefined {
  const at = hi - ICM_PHYSICAL_OFFSET_HI;
  if (at < 0) return undefined;
  const table = at >= ICM_BASE_HI.mpt ? 'mpt' : 'mtt';
  const [first, last] = entriesAt(table, at, lo, length);
  return { table, first, last };
}

/** Sorts keys by what they open. */
export function heldEntries(
  keys: readonly number[],
  qps: readonly (HanguQp | null | undefined)[],
  cqs: readonly (HanguCq | null | undefined)[],
  srqs: ReadonlySet<HanguSrq>,
  isOfEvents: (key: number) => boolean,
): HeldEntries {
  const queues: { qpn: number; receives: boolean }[] = [];
  const cqns: number[] = [];
  const rest = new Set(keys);
  for (const qp of qps) {
    if (qp === null || qp === undefined) continue;
    if (rest.delete(qp.sqKey)) queues.push({ qpn: qp.qpn, receives: false });
    if (rest.delete(qp.rqKey)) queues.push({ qpn: qp.qpn, receives: true });
  }
  for (const srq of srqs) {
    if (!rest.delete(srq.key)) continue;
    for (const qp of qps) if (qp?.srq === srq) queues.push({ qpn: qp.qpn, receives: true });
  }
  for (const cq of cqs) if (cq !== null && cq !== undefined && rest.delete(cq.key)) cqns.push(cq.cqn);
  const ofEvents = [...rest].filter(isOfEvents);
  for (const key of ofEvents) rest.delete(key);
  return { keys: [...rest], queues, cqns, events: ofEvents.length > 0 };
}
