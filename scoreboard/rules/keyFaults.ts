/** What is wrong with the key of a request, in words. Slow: asked only once it is known that something is. */

import type { Sge } from '../../agents/verbs/verbsItems.ts';
import { ACCESS } from '../../rdma/verbs.ts';
import { hex, hexAddress } from '../../uvm/report/hexTexts.ts';
import { type MrTable, NO_REGION, type Region } from '../model/mrTable.ts';

/** What a queue pair wants of the region of a key. */
export interface KeyUse {
  readonly host: number;
  readonly key: number;
  /** Address on the wire, as signed halves, and bytes from there. */
  readonly hi: number;
  readonly lo: number;
  readonly length: number;
  /** Protection domain of the queue pair; negative where it is not known. */
  readonly pd: number;
  /** `ACCESS` bits that the region must have. */
  readonly right: number;
  /** Queue pair that uses it from afar. */
  readonly qpn?: number;
}

/**
 * All that keeps a key from opening its range: for example `key 0x7 names no region of host 1`; undefined where nothing
 * does.
 * @param name how the key is called, such as `remote key`
 */
export function keyFault(mrs: MrTable, name: string, use: KeyUse): string | undefined {
  const key = `${name} ${hex(use.key)}`;
  const mr = mrs.find(use.host, use.key);
  if (mr === NO_REGION) return `${key} names no region of host ${use.host}${goneText(mrs, use)}`;
  const faults: string[] = [];
  if (use.right === 0 && mrs.isWindow(mr)) faults.push('is a window, which opens nothing to its own side');
  const owner = mrs.ownerOf(mr);
  if (owner >= 0 && use.qpn !== undefined && owner !== use.qpn)
    faults.push(`belongs to QP ${owner}, not to QP ${use.qpn}`);
  const pd = mrs.pd(mr);
  if (use.pd >= 0 && pd !== use.pd)
    faults.push(`is of protection domain ${pd}, its queue pair of protection domain ${use.pd}`);
  const missing = use.right & ~mrs.access(mr);
  if (missing !== 0) faults.push(`lacks the right ${rightsText(missing)} (it has ${rightsText(mrs.access(mr))})`);
  const outside = outsideText(mrs, mr, use);
  if (outside !== '') faults.push(outside);
  return faults.length === 0 ? undefined : `the region of ${key} ${faults.join(', and ')}`;
}

/** As `keyFault`, of the first entry of a list that its key does not open. */
export function listFault(
  mrs: MrTable,
  host: number,
  list: { readonly sges: readonly Sge[]; readonly numSge: number },
  pd: number,
  right: number,
): string | undefined {
  for (let i = 0; i < list.numSge; i++) {
    const { hi, lo, length, lkey } = list.sges[i] as Sge;
    if (length === 0) continue;
    const fault = keyFault(mrs, 'key', { host, key: lkey, hi, lo, length, pd, right });
    if (fault !== undefined) return `SG entry ${i}: ${fault}`;
  }
  return undefined;
}

/** `ACCESS` bits as scenarios name them: `localWrite, remoteRead`. */
export function rightsText(access: number): string {
  const names = Object.entries(ACCESS).filter(([, bit]) => (access & bit) !== 0);
  return names.length === 0 ? 'none' : names.map(([name]) => name).join(', ');
}

function goneText(mrs: MrTable, { host, key }: KeyUse): string {
  for (const m of mrs.removed())
    if (mrs.host(m) === host && mrs.key(m) === key >>> 0) return ' any more: it was deregistered';
  return '';
}

function outsideText(mrs: MrTable, mr: Region, { hi, lo, length }: KeyUse): string {
  const offset = mrs.offset(mr, hi, lo);
  const size = mrs.length(mr);
  const parts: string[] = [];
  if (offset < 0) parts.push(`begins ${-offset} B before it`);
  if (offset + length > size) parts.push(`ends ${offset + length - size} B behind it`);
  if (parts.length === 0) return '';
  const region = `${size} B at ${mrs.isZeroBased(mr) ? 'offset 0' : hexAddress(mrs.hi(mr), mrs.lo(mr))}`;
  return `is ${region}, and the range, ${length} B at ${hexAddress(hi, lo)}, ${parts.join(' and ')}`;
}
