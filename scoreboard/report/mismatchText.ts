/** Explains a difference between the two ends of a transfer: where, what, and what it looks like. Slow path. */

import { type Message, NO_MESSAGE, type Receive, type AnyRequest } from '../model/work.ts';
import { SGE_WORDS } from '../model/messages.ts';
import type { Comparer } from '../memory/comparer.ts';
import type { Transfer } from '../memory/messageBuffers.ts';
import { startBuffers, startSource as startSourceOf, TRANSFER } from '../memory/messageBuffers.ts';
import { type Found, hintsOf, holdsAt, inBrackets } from './mismatchHints.ts';
import { hexBytes, requestName } from '../model/names.ts';
import type { OracleState } from '../model/oracleState.ts';
import { PAGE_SHIFT } from '../memory/scoreboardMemory.ts';
import { readBuffer } from '../memory/bufferBytes.ts';
import type { BufferCursor } from '../memory/bufferCursor.ts';
import type { BytesSubject } from '../../rdma/subject.ts';
import { wrongBytes } from '../../rdma/subjectParts.ts';
import { hexAddress } from '../../uvm/report/hexTexts.ts';

const SHOWN = 16;
/** Messages whose data are compared with what was found. */
const MESSAGES_TRIED = 64;

/** One message: request, host, process, SG entry, address, offset, bytes expected and found, hints. */
export function mismatchText(
  s: OracleState,
  c: Comparer,
  kind: Transfer,
  r: Message,
  recv: Receive,
  skip: number,
  at: number,
): string {
  const what = kind === TRANSFER.message ? `${requestName(r)}, received by ${requestName(recv)}` : requestName(r);
  if (at < 0) return `${what}: the buffer list is shorter than the message`;
  const n = Math.min(SHOWN, r.length - at);
  const read = (source: boolean, from: number, count: number): Uint8Array => {
    startBuffers(s, c, kind, r, recv, skip);
    return readBuffer(s, source ? c.source : c.target, from, count);
  };
  const expected = read(true, at, n);
  const actual = read(false, at, n);
  const place = targetPlace(s, c, kind, r, recv, skip, at);
  const startSource = (): BufferCursor => {
    startBuffers(s, c, kind, r, recv, skip);
    return c.source;
  };
  const source = (from: number, count: number): Uint8Array => read(true, from, count);
  const hints = findHints(s, c, { kind, r, recv, skip, at, actual, source, startSource });
  return (
    `${what}: data differ at byte ${at} of ${r.length}, ${place}; ` +
    `expected ${hexBytes(expected)}, found ${hexBytes(actual)}${inBrackets(hints)}`
  );
}

/** The first bytes that differ, of both sides; nothing where a list was too short. */
export function differingBytes(
  s: OracleState,
  c: Comparer,
  kind: Transfer,
  r: Message,
  recv: Receive,
  skip: number,
  at: number,
): readonly BytesSubject[] {
  if (at < 0) return [];
  const read = (source: boolean): Uint8Array => {
    startBuffers(s, c, kind, r, recv, skip);
    return readBuffer(s, source ? c.source : c.target, at, Math.min(SHOWN, r.length - at));
  };
  return [wrongBytes(read(false), read(true))];
}

interface Difference extends Found {
  readonly kind: Transfer;
  readonly recv: Receive;
  readonly skip: number;
}

function findHints(s: OracleState, c: Comparer, d: Difference): readonly string[] {
  const hints: string[] = [];
  if (isInitial(s, c, d)) hints.push('the destination is untouched: it holds its initial bytes');
  else if (d.actual.every((b) => b === 0)) hints.push('the destination holds zeros');
  const other = findMessage(s, c, d);
  if (other.exists) hints.push(`it holds what wrId ${other.wrId} sent; ${lost(d.r)}`);
  return hintsOf(s, d, d.kind !== TRANSFER.read, hints);
}

/** True when the target bytes are those that its pages hold before any write. */
function isInitial(s: OracleState, c: Comparer, d: Difference): boolean {
  startBuffers(s, c, d.kind, d.r, d.recv, d.skip);
  const initial = readBuffer(s, c.target, d.at, d.actual.length, true);
  return holdsAt(initial, d.actual, 0);
}

/** A message behind this one on its way to the same queue pair that has the found bytes where they were found; `NONE`. */
function findMessage(s: OracleState, c: Comparer, d: Difference): Message {
  if (d.kind !== TRANSFER.message || d.actual.length < 4) return NO_MESSAGE;
  const dest = d.r.dest;
  let r = dest.inbound.head;
  for (let i = 0; i < MESSAGES_TRIED && r.exists; i++, r = r.link) {
    if (d.at + d.actual.length > r.length) continue;
    startSourceOf(s, c.source, r);
    if (holdsAt(readBuffer(s, c.source, d.at, d.actual.length), d.actual, 0)) return r;
  }
  return NO_MESSAGE;
}

function lost(r: Message): string {
  return `wrId ${r.wrId} was lost or overtaken`;
}

/** Host, process, entry and address of byte `at` at the target. */
function targetPlace(
  s: OracleState,
  c: Comparer,
  kind: Transfer,
  r: Message,
  recv: Receive,
  skip: number,
  at: number,
): string {
  startBuffers(s, c, kind, r, recv, skip);
  c.target.skip(at);
  c.target.load();
  const t = c.target;
  const where = `host ${t.host} process ${t.process} ${hexAddress(t.hi, (t.page << PAGE_SHIFT) | t.offset)}`;
  const list = kind === TRANSFER.message ? recv : kind === TRANSFER.read ? r : NO_MESSAGE;
  if (!list.exists) return `${where}, byte ${at} of the remote buffer, ${sourceEntry(s, r, at)}`;
  const entry = entryOf(s, list, at + skip);
  const source = kind === TRANSFER.message ? `, ${sourceEntry(s, r, at)}` : '';
  return `${where}, SG entry ${entry.index} offset ${entry.offset}${source}`;
}

function sourceEntry(s: OracleState, r: Message, at: number): string {
  const entry = entryOf(s, r, at);
  const q = r.qp;
  const owner = `host ${q.host} process ${q.process}`;
  return `source ${owner} SG entry ${entry.index} offset ${entry.offset}`;
}

function entryOf(s: OracleState, r: AnyRequest, at: number): { index: number; offset: number } {
  let offset = at;
  for (let i = 0; i < r.numSge; i++) {
    const size = (s.requests.sges.words[r.sges + i * SGE_WORDS + 2] as number) >>> 0;
    if (offset < size) return { index: i, offset };
    offset -= size;
  }
  return { index: -1, offset };
}
