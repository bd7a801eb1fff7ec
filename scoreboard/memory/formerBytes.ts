/** Whether a place still holds what it held before a WRITE that should be there: then nothing of it has arrived. Slow path. */

import { type Message, NONE, NO_RECEIVE } from '../model/work.ts';
import type { Comparer } from './comparer.ts';
import { startBuffers, startSource, TRANSFER } from './messageBuffers.ts';
import type { OracleState } from '../model/oracleState.ts';
import { PAGE_BYTES } from './scoreboardMemory.ts';
import { readBuffer } from './bufferBytes.ts';
import { FORGOTTEN, HASHED } from './verifiedRecord.ts';
import { TWO_32 } from '../../uvm/bytes/words.ts';

/** Bytes that are looked at, from the first one that differs on. */
const LOOKED_AT = 16;

/**
 * Of plain WRITE `r`, whose byte `at` is not there: whether its target holds, from there on, what it held before. That is
 * what was found right there last, what WRITEs of the same queue pair have left that are still open, or what memory held
 * before any write. Bytes that happen to be those of `r` do not matter. False where nobody knows what was there.
 */
export function holdsFormer(s: OracleState, c: Comparer, r: Message, at: number): boolean {
  if (at < 0) return false;
  const n = Math.min(LOOKED_AT, r.length - at);
  const read = (source: boolean): Uint8Array => {
    startBuffers(s, c, TRANSFER.write, r, NO_RECEIVE, 0);
    return readBuffer(s, source ? c.source : c.target, at, n);
  };
  const found = read(false);
  const former = [read(true), formerOf(s, c, r, at, n), ...earlierWrites(s, c, r, at, n)];
  return found.every((byte, i) => former.some((bytes) => bytes[i] === byte));
}

/** What was found right last, or was there before any write; -1 where that is not known. */
function formerOf(s: OracleState, c: Comparer, r: Message, at: number, n: number): number[] {
  startBuffers(s, c, TRANSFER.write, r, NO_RECEIVE, 0);
  const side = c.target;
  const former: number[] = [];
  if (!side.skip(at)) return former;
  while (former.length < n && side.load()) {
    const count = Math.min(n - former.length, side.left, PAGE_BYTES - side.offset);
    const page = s.pages.at(side.host, side.process, side.hi, side.page);
    former.push(...formerInPage(s, page, side.offset, count));
    side.advance(count);
  }
  return former;
}

function formerInPage(s: OracleState, page: number, from: number, count: number): number[] {
  const { verified, hashes, pages } = s;
  const bytes = seeded(s, pages.key(page), from, count);
  const records = verified.load(page);
  for (let i = 0; i < records; i++) {
    const first = Math.max(from, verified.from(i));
    const length = Math.min(from + count, verified.to(i)) - first;
    if (length <= 0) continue;
    const source = verified.source(i);
    let known: readonly number[] = new Array<number>(length).fill(NONE);
    if (source === HASHED) {
      if (hashes.matches(verified.value(i), page, verified.from(i), verified.to(i)))
        known = Array.from(s.bytes.u8.subarray(pages.place(page) + first, pages.place(page) + first + length));
    } else if (source !== FORGOTTEN) {
      known = seeded(s, pages.key(source), verified.value(i) + first - verified.from(i), length);
    }
    bytes.splice(first - from, length, ...known);
  }
  return bytes;
}

/** What the WRITEs of the same queue pair in front of `r` bring to the same bytes, -1 for those that they leave alone. */
function earlierWrites(s: OracleState, c: Comparer, r: Message, at: number, n: number): number[][] {
  const found: number[][] = [];
  for (let w = s.writeHead; w.exists && w !== r; w = w.link) {
    if (w.qp !== r.qp || w.remoteSpace !== r.remoteSpace) continue;
    const begin = address(r) + at - address(w);
    const first = Math.max(0, begin);
    const length = Math.min(w.length, begin + n) - first;
    if (length <= 0) continue;
    const bytes = new Array<number>(n).fill(NONE);
    startSource(s, c.source, w);
    bytes.splice(first - begin, length, ...readBuffer(s, c.source, first, length));
    found.push(bytes);
  }
  return found;
}

/** Where a WRITE begins, as far as a double is exact: distances within a process are. */
function address(r: Message): number {
  return r.remoteHi * TWO_32 + (r.remoteLo >>> 0);
}

function seeded(s: OracleState, key: number, position: number, n: number): number[] {
  s.bytes.fillSeeded(key, position, s.scratch, n);
  return Array.from(s.bytes.u8.subarray(s.scratch, s.scratch + n));
}
