/** Says whose memory a stray write hit, for its message. Slow; runs only on a finding. */

import type { Region } from '../model/mrTable.ts';
import {
  type BufferOwner,
  completedOwner,
  distanceTo,
  KEY_CLOSED,
  OVERLAP,
  outstandingOwners,
  type Place,
} from './bufferOwners.ts';
import type { ControlAreas } from '../memory/ranges/controlAreas.ts';
import { A_HI, A_LO, NO_AREA } from '../memory/ranges/controlAreas.ts';
import { NO_PAGE } from '../memory/dataPages.ts';
import type { OracleState } from '../model/oracleState.ts';
import { PAGE_MASK, PAGE_SHIFT } from '../memory/scoreboardMemory.ts';
import { FORGOTTEN, HASHED } from '../memory/verifiedRecord.ts';
import { logTime } from '../../uvm/report/reportMessage.ts';
import { TWO_32 } from '../../uvm/bytes/words.ts';
import { hexAddress, hex } from '../../uvm/report/hexTexts.ts';

/** Further than this from a buffer, in bytes, a write has nothing to do with it. */
const NEAR = 65536;

/** What an address is, the virtual address, the buffer or region next to it, and which bytes must not lie there. */
export function nearestOwner(
  s: OracleState,
  areas: ControlAreas,
  host: number,
  hi: number,
  lo: number,
  length: number,
): string {
  const page = lo >>> PAGE_SHIFT;
  const area = areas.areaOf(host, hi, lo, 1);
  if (area !== NO_AREA) return areaText(areas, area, hi, lo, length);
  if (areas.isControlPage(host, hi, page)) return 'it lies in a page of a closed or partly open control area';
  const memory = s.memory;
  memory.reverse(host, hi, lo);
  if (memory.process < 0) return 'no buffer or queue of this host lies there';
  const place = { host, process: memory.process, hi: memory.virtHi, lo: memory.virtLo, length };
  return `virtual ${hexAddress(place.hi, place.lo)} of process ${place.process}, ${ownerText(s, place)}`;
}

function areaText(areas: ControlAreas, area: number, hi: number, lo: number, length: number): string {
  const startHi = areas.words[area + A_HI] as number;
  const startLo = areas.words[area + A_LO] as number;
  const offset = (hi - startHi) * TWO_32 + (lo >>> 0) - (startLo >>> 0);
  const name = `the ${areas.kind(area)} area of ${areas.length(area)} B at ${hexAddress(startHi, startLo)}`;
  if (areas.isReadOnly(area)) return `it lies in ${name}, which the NIC may only read`;
  const beyond = offset + length - areas.length(area);
  if (beyond > 0) return `it runs out of ${name}: the last ${beyond} of its bytes lie beyond its end`;
  return `it lies in ${name}, which does not take a write of this kind`;
}

function ownerText(s: OracleState, place: Place): string {
  const bytes = (o: BufferOwner): number => shared(o, place.length);
  const owners = outstandingOwners(s, place).sort((a, b) => a.distance - b.distance || bytes(b) - bytes(a));
  const hit = owners.filter((o) => o.distance === OVERLAP);
  const main = hit.find((o) => o.closed === '') ?? hit[0];
  const region = regionOwner(s, place.host, place.process, place.hi, place.lo);
  if (main !== undefined) {
    return `${main.text}${excess(main, hit, place.length)}${main.closed === KEY_CLOSED ? `; ${region}` : ''}`;
  }
  const completed = completedText(s, place);
  if (completed !== '') return completed;
  const near = owners[0];
  if (near !== undefined && near.distance < NEAR)
    return `${near.distance} bytes ${near.offset < 0 ? 'in front of' : 'behind'} ${near.text}; ${region}`;
  return `outside every buffer; ${region}`;
}

/** Which bytes of a write lie where they must not, as seen from a buffer that has some of them. */
function excess(main: BufferOwner, hit: readonly BufferOwner[], length: number): string {
  if (main.closed !== '') return `, ${main.closed}`;
  const before = Math.max(0, -main.offset);
  const beyond = Math.max(0, main.offset + length - main.size);
  const parts: string[] = [];
  if (before > 0) parts.push(`the first ${before} of its bytes lie before its start`);
  if (beyond > 0) parts.push(`the last ${beyond} of its bytes lie beyond its end (${main.size} B)`);
  const other = hit.find((o) => o !== main && o.closed !== '');
  if (other !== undefined) parts.push(`bytes lie in ${other.text}, ${other.closed}`);
  return parts.length === 0 ? '' : `: ${parts.join(', and ')}`;
}

/** Bytes that a buffer shares with a place. */
function shared(o: BufferOwner, length: number): number {
  return Math.min(o.size, o.offset + length) - Math.max(0, o.offset);
}

/** The buffer of a completed request, or '' when none is known there. */
function completedText(s: OracleState, place: Place): string {
  const owner = completedOwner(s, place);
  if (owner !== undefined) {
    return `${owner.text}; it had completed by ${logTime(owner.request.qp.progressAt)}`;
  }
  const page = s.pages.find(place.host, place.process, place.hi, place.lo >>> PAGE_SHIFT);
  const source = page === NO_PAGE ? NO_PAGE : s.verified.sourceAt(page, place.lo & PAGE_MASK);
  if (source === NO_PAGE) return '';
  if (source === FORGOTTEN || source === HASHED) return 'a buffer whose request has completed';
  return `a buffer whose request has completed (its data came from host ${s.pages.host(source)})`;
}

/** After the teardown of a run, what was registered before it. */
function regionOwner(s: OracleState, host: number, process: number, hi: number, lo: number): string {
  const now = nearestRegion(s, s.mrs.all(), host, process, hi, lo);
  if (now !== '') return now;
  const before = nearestRegion(s, s.mrs.removed(), host, process, hi, lo);
  return before === '' ? 'no region is registered in that process' : `${before} (deregistered by now)`;
}

function nearestRegion(
  s: OracleState,
  regions: Iterable<Region>,
  host: number,
  process: number,
  hi: number,
  lo: number,
): string {
  let best = '';
  let nearest = Number.POSITIVE_INFINITY;
  const { mrs } = s;
  for (const mr of regions) {
    if (mrs.host(mr) !== host || mrs.process(mr) !== process) continue;
    const d = distanceTo(mrs.distance(mr, hi, lo), mrs.length(mr), 1);
    if (d >= nearest) continue;
    nearest = d;
    const name = `region with key ${hex(mrs.key(mr))}`;
    best = d === OVERLAP ? `it lies in the ${name}` : `the nearest ${name} is ${d} bytes away`;
  }
  return best;
}
