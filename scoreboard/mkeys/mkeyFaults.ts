/** What is wrong with a request that changes a key (roce-transport.md 4.5, 4.6, 4.8), in words; undefined where nothing is. */

import { MKEY, MKEY_NAME } from '../../agents/verbs/mkeyItems.ts';
import type { KeyChange, MrInfo } from '../../agents/verbs/verbsItems.ts';
import { ACCESS } from '../../rdma/verbs.ts';
import { hex } from '../../uvm/report/hexTexts.ts';
import { type MrTable, NO_REGION } from '../model/mrTable.ts';
import type { TransportChoices } from '../model/transportChoices.ts';
import type { QueuePair } from '../model/work.ts';
import type { Mkey, MkeyTable, Opened } from './mkeyTable.ts';

const WRITES = ACCESS.remoteWrite | ACCESS.remoteAtomic;
const PAGE = 4096;

/** A window must be there, of the right type and domain, and of type 2 not bound. @param found what it opens when its turn comes */
export function windowFault(
  mkey: Mkey | undefined,
  found: Opened | null,
  { type, key, length }: KeyChange,
  q: QueuePair,
  choices: TransportChoices,
): string | undefined {
  const name = `key ${hex(key)}`;
  if (mkey === undefined || !mkey.isWindow) return `${name} is of no memory window`;
  const { kind, pd } = mkey.info;
  if (kind !== (type === 2 ? MKEY.window2 : MKEY.window1)) return `${name} is of a ${MKEY_NAME[kind]}`;
  const tolerated = type === 1 && choices.bindsForeignWindows;
  if (!tolerated && isForeign(pd, q))
    return `the window of ${name} is of protection domain ${pd}, its queue pair of ${q.pd}`;
  if (type === 1) return undefined;
  if (length === 0) return 'a window of type 2 has at least one byte';
  return found === null ? undefined : `the window is bound already, by key ${hex(found.info.key)}`;
}

/** The region of a window must be there, allow windows, hold it, and allow what it allows. Length 0 of type 1 names none. */
export function regionFault(mrs: MrTable, change: KeyChange, q: QueuePair): string | undefined {
  const { mrKey, hi, lo, length, access, type } = change;
  if (type === 1 && length === 0) return undefined;
  const name = `the region of key ${hex(mrKey)}`;
  const mr = mrs.find(q.host, mrKey);
  if (mr === NO_REGION || mrs.isWindow(mr)) return `key ${hex(mrKey)} names no region of host ${q.host}`;
  if (isForeign(mrs.pd(mr), q)) return `${name} is of protection domain ${mrs.pd(mr)}, its queue pair of ${q.pd}`;
  if ((mrs.access(mr) & ACCESS.mwBind) === 0) return `${name} allows no windows`;
  if (mrs.isZeroBased(mr)) return `${name} is zero-based`;
  if ((access & WRITES) !== 0 && (mrs.access(mr) & ACCESS.localWrite) === 0)
    return `${name} lacks localWrite, which a window that is written to needs`;
  const from = mrs.distance(mr, hi, lo);
  if (from < 0) return `the window begins ${-from} B before ${name}`;
  const over = from + length - mrs.length(mr);
  return over > 0 ? `the window ends ${over} B behind ${name}` : undefined;
}

/** A region that a request registers must be free, of the right domain, and have room for the pages. */
export function registrationFault(
  mkey: Mkey | undefined,
  found: Opened | null,
  { key, lo, length }: KeyChange,
  q: QueuePair,
): string | undefined {
  const name = `key ${hex(key)}`;
  if (mkey?.info.kind !== MKEY.region) return `${name} is of no region that requests register`;
  const { pd, maxPages } = mkey.info;
  if (isForeign(pd, q)) return `the region of ${name} is of protection domain ${pd}, its queue pair of ${q.pd}`;
  if (found !== null) return `the region is registered already, by key ${hex(found.info.key)}`;
  if (length === 0) return 'a region has at least one byte';
  const pages = Math.ceil(((lo & (PAGE - 1)) + length) / PAGE);
  return pages > maxPages ? `it needs ${pages} pages, and has room for ${maxPages}` : undefined;
}

/** Only what is open can be invalidated: a window of type 2 by its queue pair, a region that has no windows by any of its domain. */
export function invalidationFault(
  table: MkeyTable,
  mkey: Mkey | undefined,
  found: Opened | null,
  key: number,
  q: QueuePair,
): string | undefined {
  const name = `key ${hex(key)}`;
  if (mkey === undefined) return `${name} is of no window, and of no region that requests register`;
  const { kind, pd, host } = mkey.info;
  if (found === null || found.info.key !== key >>> 0) return `${name} opens nothing`;
  if (kind === MKEY.window1) return `${name} is of a ${MKEY_NAME[kind]}`;
  if (isForeign(pd, q)) return `${name} is of protection domain ${pd}, the queue pair of ${q.pd}`;
  if (kind === MKEY.window2)
    return found.qpn === q.qpn ? undefined : `${name} belongs to QP ${found.qpn}, not to QP ${q.qpn}`;
  return table.windowsOf(host, key >>> 0, true).length > 0 ? `windows are bound to the region of ${name}` : undefined;
}

/** What a request opens. @param mkey the window or region that it is about */
export function openedBy({ info: { host, process, pd, kind } }: Mkey, change: KeyChange, q: QueuePair): Opened | null {
  const { key, hi, lo, length, access, zeroBased = false, mrKey } = change;
  if (length === 0) return null;
  const info: MrInfo = { host, process, pd, key: key >>> 0, hi, lo, length, access, zeroBased };
  return { info, qpn: kind === MKEY.window2 ? q.qpn : -1, parent: kind === MKEY.region ? 0 : mrKey >>> 0 };
}

function isForeign(pd: number, q: QueuePair): boolean {
  return q.pd >= 0 && pd !== q.pd;
}
