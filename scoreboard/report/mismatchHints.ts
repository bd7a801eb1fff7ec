/** What wrong bytes of a transfer look like: those of another place of its message, or of the host they come from. Slow path. */

import { Message } from '../model/work.ts';
import { requestName } from '../model/names.ts';
import { SGE_WORDS } from '../model/messages.ts';
import { otherPage, positionIn, SEARCHED_BYTES } from './elsewhere.ts';
import type { OracleState } from '../model/oracleState.ts';
import { PAGE_BYTES } from '../memory/scoreboardMemory.ts';
import { BufferCursor } from '../memory/bufferCursor.ts';
import { readBuffer } from '../memory/bufferBytes.ts';
import { startSource } from '../memory/messageBuffers.ts';

const MAX_SHIFT = 64;
/** Fewer bytes are somewhere in much data by chance. */
const LEAST_OF_OTHERS = 8;
/** Bytes of other requests that are searched. */
const MOST_OF_OTHERS = 1 << 20;

/** Wrong bytes. */
export interface Found {
  /** The request that transfers them, and where in its message they were found. */
  readonly r: Message;
  readonly at: number;
  readonly actual: Uint8Array;
  /** `count` bytes of the source from position `from` on. */
  source(from: number, count: number): Uint8Array;
  /** The source, from its first byte on. */
  startSource(): BufferCursor;
}

/**
 * What wrong bytes look like; where nothing else does, the place that they are of.
 * @param known what has been found out already
 * @param fromList the request's own list is the source
 */
export function hintsOf(s: OracleState, f: Found, fromList: boolean, known: readonly string[] = []): readonly string[] {
  const hints = [...known, ...sourceHints(s, f, fromList)];
  const elsewhere = hints.length > 0 ? '' : elsewhereHint(s, f);
  return elsewhere === '' ? hints : [elsewhere];
}

/**
 * Whether bytes are those of another page of the host that they come from. '' = no.
 * @param source stands where the bytes should have come from
 */
export function otherPageHint(s: OracleState, source: BufferCursor, actual: Uint8Array): string {
  const page = s.pages.at(source.host, source.process, source.hi, source.page);
  const inPage = Math.min(actual.length, source.left, PAGE_BYTES - source.offset);
  const place = otherPage(s, source.host, page, source.offset, actual.subarray(0, inPage));
  return place === '' ? '' : `it equals what lies at the same offset of another page: ${place}`;
}

/** Hints as they stand at the end of a message. */
export function inBrackets(hints: readonly string[]): string {
  return hints.length > 0 ? ` (${hints.join('; ')})` : '';
}

/** Whether `a` holds the bytes `b` from `from` on. */
export function holdsAt(a: Uint8Array, b: Uint8Array, from: number): boolean {
  if (from < 0 || from + b.length > a.length) return false;
  return b.every((v, i) => a[from + i] === v);
}

/** Hints; none where the bytes are nowhere in the message. */
function sourceHints(s: OracleState, f: Found, fromList: boolean): string[] {
  const hints: string[] = [];
  const shift = findShift(f);
  if (shift !== 0)
    hints.push(`the data is shifted: it equals the source ${Math.abs(shift)} bytes ${shift > 0 ? 'later' : 'earlier'}`);
  const entry = fromList ? findEntry(s, f) : -1;
  if (entry >= 0) hints.push(`it equals the data of source SG entry ${entry}`);
  return hints;
}

/** Whether the bytes are those of another place: of the message, or of the host that they come from. '' = no. */
function elsewhereHint(s: OracleState, f: Found): string {
  const length = f.r.length;
  const data = length > SEARCHED_BYTES ? new Uint8Array() : f.source(0, length);
  const position = positionIn(data, f.actual, f.at);
  if (position >= 0) return `it equals the source from byte ${position} on`;
  const message = otherMessageHint(s, f);
  if (message !== '') return message;
  const source = f.startSource();
  return source.isSnapshot || !source.skip(f.at) || !source.load() ? '' : otherPageHint(s, source, f.actual);
}

/** The data of another request that the bytes are of, whichever queue pair that is of. '' = none. */
function otherMessageHint(s: OracleState, { r, actual }: Found): string {
  const [first] = actual;
  if (actual.length < LEAST_OF_OTHERS || actual.every((byte) => byte === first)) return '';
  const cursor = new BufferCursor();
  let searched = 0;
  for (const other of [...s.requests.all(), ...s.requests.completed()]) {
    if (!(other instanceof Message) || other === r || other.length > SEARCHED_BYTES) continue;
    searched += other.length;
    if (searched > MOST_OF_OTHERS) return '';
    startSource(s, cursor, other);
    const position = positionIn(readBuffer(s, cursor, 0, other.length), actual, -1);
    if (position >= 0) return `it equals byte ${position} on of the data of ${requestName(other)}`;
  }
  return '';
}

/** Distance k for which the found bytes equal the source at position + k; 0 = none. */
function findShift(f: Found): number {
  if (f.actual.length < 4) return 0;
  const from = Math.max(0, f.at - MAX_SHIFT);
  const length = f.r.length;
  const source = f.source(from, Math.min(length, f.at + MAX_SHIFT + f.actual.length) - from);
  for (let k = 1; k <= MAX_SHIFT; k++) {
    if (holdsAt(source, f.actual, f.at - from + k)) return k;
    if (holdsAt(source, f.actual, f.at - from - k)) return -k;
  }
  return 0;
}

/** Index of the source entry that starts with the found bytes, where they are not expected; -1 = none. */
function findEntry(s: OracleState, f: Found): number {
  if (f.actual.length < 4) return -1;
  let start = 0;
  for (let i = 0; i < f.r.numSge; i++) {
    const size = (s.requests.sges.words[f.r.sges + i * SGE_WORDS + 2] as number) >>> 0;
    const n = Math.min(size, f.actual.length);
    if (start !== f.at && n >= 4 && holdsAt(f.source(start, n), f.actual.subarray(0, n), 0)) return i;
    start += size;
  }
  return -1;
}
