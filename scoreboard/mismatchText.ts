/** Explains a difference between the two ends of a transfer: where, what, and what it looks like. Slow path. */

import type { Comparer } from './comparer.ts';
import type { Transfer } from './messageSides.ts';
import { startSides, startSource, TRANSFER } from './messageSides.ts';
import { otherPage, positionIn, SEARCHED_BYTES } from './elsewhere.ts';
import { hexBytes, requestName } from './names.ts';
import type { OracleState } from './oracleState.ts';
import { NONE, Q_HOST, Q_IN_HEAD, Q_PROCESS } from './qps.ts';
import { R_DEST, R_LINK, R_NUM_SGE, R_QP, R_SGES, SGE_WORDS } from './requests.ts';
import { PAGE_BYTES, PAGE_SHIFT } from './scoreboardMemory.ts';
import { readSide } from './sideBytes.ts';
import { hexAddress } from '../uvm/report/hexTexts.ts';

const SHOWN = 16;
const MAX_SHIFT = 64;
/** Messages whose data are compared with what was found. */
const MESSAGES_TRIED = 64;

/** One message: request, host, process, SG entry, address, offset, bytes expected and found, hints. */
export function mismatchText(
  s: OracleState,
  c: Comparer,
  kind: Transfer,
  r: number,
  recv: number,
  skip: number,
  at: number,
): string {
  const what =
    kind === TRANSFER.message ? `${requestName(s, r)}, received by ${requestName(s, recv)}` : requestName(s, r);
  if (at < 0) return `${what}: the buffer list is shorter than the message`;
  const n = Math.min(SHOWN, s.requests.length(r) - at);
  const read = (source: boolean, from: number, count: number): Uint8Array => {
    startSides(s, c, kind, r, recv, skip);
    return readSide(s, source ? c.source : c.target, from, count);
  };
  const expected = read(true, at, n);
  const actual = read(false, at, n);
  const place = targetPlace(s, c, kind, r, recv, skip, at);
  const hints = findHints(s, c, { kind, r, recv, skip, at, actual, read });
  return (
    `${what}: data differ at byte ${at} of ${s.requests.length(r)}, ${place}; ` +
    `expected ${hexBytes(expected)}, found ${hexBytes(actual)}${hints.length > 0 ? ` (${hints.join('; ')})` : ''}`
  );
}

interface Difference {
  readonly kind: Transfer;
  readonly r: number;
  readonly recv: number;
  readonly skip: number;
  readonly at: number;
  readonly actual: Uint8Array;
  read(source: boolean, from: number, count: number): Uint8Array;
}

function findHints(s: OracleState, c: Comparer, d: Difference): string[] {
  const hints: string[] = [];
  if (isInitial(s, c, d)) hints.push('the destination is untouched: it holds its initial bytes');
  else if (d.actual.every((b) => b === 0)) hints.push('the destination holds zeros');
  const shift = findShift(s, d);
  if (shift !== 0)
    hints.push(`the data is shifted: it equals the source ${Math.abs(shift)} bytes ${shift > 0 ? 'later' : 'earlier'}`);
  const other = findMessage(s, c, d);
  if (other !== NONE) hints.push(`it holds what wrId ${s.requests.wrId(other)} sent; ${lost(s, d.r)}`);
  const entry = findEntry(s, d);
  if (entry >= 0) hints.push(`it equals the data of source SG entry ${entry}`);
  return hints.length > 0 ? hints : findElsewhere(s, c, d);
}

/** Whether the bytes are those of another place: of the message, or of the host that they come from. */
function findElsewhere(s: OracleState, c: Comparer, d: Difference): string[] {
  const length = s.requests.length(d.r);
  const data = length > SEARCHED_BYTES ? new Uint8Array() : d.read(true, 0, length);
  const position = positionIn(data, d.actual, d.at);
  if (position >= 0) return [`it equals the source from byte ${position} on`];
  startSides(s, c, d.kind, d.r, d.recv, d.skip);
  const { source } = c;
  if (source.isSnapshot || !source.skip(d.at) || !source.load()) return [];
  const page = s.pages.at(source.host, source.process, source.hi, source.page);
  const inPage = Math.min(d.actual.length, source.left, PAGE_BYTES - source.offset);
  const place = otherPage(s, source.host, page, source.offset, d.actual.subarray(0, inPage));
  return place === '' ? [] : [`it equals what lies at the same offset of another page: ${place}`];
}

/** True when the target bytes are those that its pages hold before any write. */
function isInitial(s: OracleState, c: Comparer, d: Difference): boolean {
  startSides(s, c, d.kind, d.r, d.recv, d.skip);
  const initial = readSide(s, c.target, d.at, d.actual.length, true);
  return same(initial, d.actual, 0);
}

/** Distance k for which the found bytes equal the source at position + k; 0 = none. */
function findShift(s: OracleState, d: Difference): number {
  if (d.actual.length < 4) return 0;
  const from = Math.max(0, d.at - MAX_SHIFT);
  const length = s.requests.length(d.r);
  const source = d.read(true, from, Math.min(length, d.at + MAX_SHIFT + d.actual.length) - from);
  for (let k = 1; k <= MAX_SHIFT; k++) {
    if (same(source, d.actual, d.at - from + k)) return k;
    if (same(source, d.actual, d.at - from - k)) return -k;
  }
  return 0;
}

/** A message behind this one on its way to the same queue pair that has the found bytes where they were found; `NONE`. */
function findMessage(s: OracleState, c: Comparer, d: Difference): number {
  if (d.kind !== TRANSFER.message || d.actual.length < 4) return NONE;
  const w = s.requests.words;
  const dest = w[d.r + R_DEST] as number;
  let r = s.qps.words[dest + Q_IN_HEAD] as number;
  for (let i = 0; i < MESSAGES_TRIED && r !== NONE; i++, r = w[r + R_LINK] as number) {
    if (d.at + d.actual.length > s.requests.length(r)) continue;
    startSource(s, c.source, r);
    if (same(readSide(s, c.source, d.at, d.actual.length), d.actual, 0)) return r;
  }
  return NONE;
}

function lost(s: OracleState, r: number): string {
  return `wrId ${s.requests.wrId(r)} was lost or overtaken`;
}

/** Index of the source entry that starts with the found bytes, where they are not expected; -1 = none. */
function findEntry(s: OracleState, d: Difference): number {
  if (d.actual.length < 4 || d.kind === TRANSFER.read) return -1;
  const w = s.requests.words;
  let start = 0;
  for (let i = 0; i < (w[d.r + R_NUM_SGE] as number); i++) {
    const size = (s.requests.sges.words[(w[d.r + R_SGES] as number) + i * SGE_WORDS + 2] as number) >>> 0;
    const n = Math.min(size, d.actual.length);
    if (start !== d.at && n >= 4 && same(d.read(true, start, n), d.actual.subarray(0, n), 0)) return i;
    start += size;
  }
  return -1;
}

function same(a: Uint8Array, b: Uint8Array, from: number): boolean {
  if (from < 0 || from + b.length > a.length) return false;
  return b.every((v, i) => a[from + i] === v);
}

/** Host, process, entry and address of byte `at` at the target. */
function targetPlace(
  s: OracleState,
  c: Comparer,
  kind: Transfer,
  r: number,
  recv: number,
  skip: number,
  at: number,
): string {
  startSides(s, c, kind, r, recv, skip);
  c.target.skip(at);
  c.target.load();
  const t = c.target;
  const where = `host ${t.host} process ${t.process} ${hexAddress(t.hi, (t.page << PAGE_SHIFT) | t.offset)}`;
  const list = kind === TRANSFER.message ? recv : kind === TRANSFER.read ? r : NONE;
  if (list === NONE) return `${where}, byte ${at} of the remote buffer, ${sourceEntry(s, r, at)}`;
  const entry = entryOf(s, list, at + skip);
  const source = kind === TRANSFER.message ? `, ${sourceEntry(s, r, at)}` : '';
  return `${where}, SG entry ${entry.index} offset ${entry.offset}${source}`;
}

function sourceEntry(s: OracleState, r: number, at: number): string {
  const entry = entryOf(s, r, at);
  const q = s.requests.words[r + R_QP] as number;
  const owner = `host ${s.qps.words[q + Q_HOST]} process ${s.qps.words[q + Q_PROCESS]}`;
  return `source ${owner} SG entry ${entry.index} offset ${entry.offset}`;
}

function entryOf(s: OracleState, r: number, at: number): { index: number; offset: number } {
  const w = s.requests.words;
  let offset = at;
  for (let i = 0; i < (w[r + R_NUM_SGE] as number); i++) {
    const size = (s.requests.sges.words[(w[r + R_SGES] as number) + i * SGE_WORDS + 2] as number) >>> 0;
    if (offset < size) return { index: i, offset };
    offset -= size;
  }
  return { index: -1, offset };
}
