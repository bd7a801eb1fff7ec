/** Says whose memory a stray write hit, for its message. Slow; runs only on a finding. */

import type { ControlAreas } from './controlAreas.ts';
import { A_HI, A_LO, NO_AREA } from './controlAreas.ts';
import { address, requestName } from './names.ts';
import type { OracleState } from './oracleState.ts';
import { Q_HOST, Q_PROCESS } from './qps.ts';
import {
  R_NUM_SGE,
  R_QP,
  R_RHI,
  R_RLO,
  R_RSPACE,
  R_SGES,
  R_STATE,
  S_GRANTED,
  S_RECV,
  SGE_WORDS,
  spaceOf,
} from './requests.ts';
import { PAGE_MASK, PAGE_SHIFT } from './scoreboardMemory.ts';
import { NO_PAGE } from './dataPages.ts';
import { FORGOTTEN, HASHED } from './verifiedRecord.ts';
import { TWO_32 } from '../uvm/bytes/words.ts';

interface Owner {
  readonly text: string;
  /** Bytes between the write and the buffer; 0 = they overlap. */
  readonly distance: number;
}

/** One clause: what the address is, virtual address, and the request or region next to it. */
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
  if (area !== NO_AREA) {
    const at = address(areas.words[area + A_HI] as number, areas.words[area + A_LO] as number);
    return `it lies in or runs out of the ${areas.kind(area)} area at ${at}`;
  }
  if (areas.isControlPage(host, hi, page)) return 'it lies in a page of a closed or partly open control area';
  const memory = s.memory;
  memory.reverse(host, hi, lo);
  if (memory.process < 0) return 'no buffer or queue of this host lies there';
  const { process, virtHi, virtLo } = memory;
  const where = `virtual ${address(virtHi, virtLo)} of process ${process}`;
  const owners = [...requestOwners(s, host, process, virtHi, virtLo, length)].sort((a, b) => a.distance - b.distance);
  const completed = completedOwner(s, host, process, virtHi, virtLo);
  const region = regionOwner(s, host, process, virtHi, virtLo);
  const near = owners[0];
  if (near?.distance === 0) return `${where}, ${near.text}`;
  if (completed !== undefined) return `${where}, ${completed}`;
  if (near !== undefined && near.distance < 65536)
    return `${where}, ${near.distance} bytes from ${near.text}; ${region}`;
  return `${where}, outside every buffer; ${region}`;
}

function* requestOwners(
  s: OracleState,
  host: number,
  process: number,
  hi: number,
  lo: number,
  length: number,
): Generator<Owner> {
  const w = s.requests.words;
  for (const r of s.requests.all()) {
    const q = w[r + R_QP] as number;
    if (s.qps.words[q + Q_HOST] === host && s.qps.words[q + Q_PROCESS] === process)
      yield* entryOwners(s, r, hi, lo, length);
    const remote = w[r + R_RSPACE] === spaceOf(host, process) && ((w[r + R_STATE] as number) & S_RECV) === 0;
    if (remote) {
      const distance = gap(w[r + R_RHI] as number, w[r + R_RLO] as number, s.requests.length(r), hi, lo, length);
      yield { distance, text: `the remote buffer of ${requestName(s, r)}` };
    }
  }
}

function* entryOwners(s: OracleState, r: number, hi: number, lo: number, length: number): Generator<Owner> {
  const w = s.requests.words;
  const e = s.requests.sges.words;
  const state = w[r + R_STATE] as number;
  const kind = (state & S_RECV) !== 0 ? 'receive' : (state & S_GRANTED) !== 0 ? 'local' : 'source';
  for (let i = 0; i < (w[r + R_NUM_SGE] as number); i++) {
    const at = (w[r + R_SGES] as number) + i * SGE_WORDS;
    const size = (e[at + 2] as number) >>> 0;
    const distance = gap(e[at] as number, e[at + 1] as number, size, hi, lo, length);
    yield { distance, text: `the ${kind} buffer, SG entry ${i}, of outstanding ${requestName(s, r)}` };
  }
}

function completedOwner(s: OracleState, host: number, process: number, hi: number, lo: number): string | undefined {
  const page = s.pages.find(host, process, hi, lo >>> PAGE_SHIFT);
  const source = page === NO_PAGE ? NO_PAGE : s.verified.sourceAt(page, lo & PAGE_MASK);
  if (source === NO_PAGE) return undefined;
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
  regions: Iterable<number>,
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
    const d = gap(mrs.hi(mr), mrs.lo(mr), mrs.length(mr), hi, lo, 1);
    if (d >= nearest) continue;
    nearest = d;
    const name = `region with key 0x${mrs.key(mr).toString(16)}`;
    best = d === 0 ? `it lies in the ${name}` : `the nearest ${name} is ${d} bytes away`;
  }
  return best;
}

/** Bytes between [address, +size) and [other, +length); 0 when they overlap. */
function gap(hi: number, lo: number, size: number, otherHi: number, otherLo: number, length: number): number {
  const d = (otherHi - hi) * TWO_32 + (otherLo >>> 0) - (lo >>> 0);
  if (d >= size) return d - size + (size === 0 ? 1 : 0);
  return d + length <= 0 ? -(d + length) : 0;
}
