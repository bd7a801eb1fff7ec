/** Puts the comparer's cursors at the two ends of a message. */

import type { Message, AnyRequest, Receive } from '../model/work.ts';
import { hostOf, processOf } from '../model/messages.ts';
import type { Comparer } from './comparer.ts';
import type { OracleState } from '../model/oracleState.ts';
import type { BufferCursor } from './bufferCursor.ts';

/** The local scatter/gather list of a request. */
export function startLocal(s: OracleState, cursor: BufferCursor, request: AnyRequest): void {
  const r = request;
  const { host, process } = r.owner;
  const first = r.sges;
  const words = s.requests.sges.words;
  if (r.flat) {
    cursor.startRange(host, process, words[first] as number, words[first + 1] as number, r.length);
  } else {
    cursor.startList(host, process, words, first, r.numSge);
    if (r.localOpen) cursor.range = s.openRanges.firstRange(r.localBlock);
  }
}

/** What a sender sends: its list, or the copy of its inline data. */
export function startSource(s: OracleState, cursor: BufferCursor, r: Message): void {
  if (r.snapshot) {
    cursor.startSnapshot(s.snapshots.get(r) as number, r.length);
  } else {
    startLocal(s, cursor, r);
  }
}

/** The remote range of a one-sided request. */
function startRemote(s: OracleState, cursor: BufferCursor, r: Message): void {
  const space = r.remoteSpace;
  const hi = r.remoteHi;
  const lo = r.remoteLo;
  cursor.startRange(hostOf(space), processOf(space), hi, lo, r.length);
  const open = r.remoteOpen;
  if (open) cursor.beginsIn(s.openRanges.page(r.remoteBlock));
}

/** Kinds of transfer by which end is which. */
export const TRANSFER = { message: 0, write: 1, read: 2 } as const;
export type Transfer = (typeof TRANSFER)[keyof typeof TRANSFER];

/**
 * Both ends of a transfer. `r` is the send request; `recv` the receive of a message, of whose buffer `skip` bytes come
 * before the data. False when the receive buffer is shorter than that.
 */
export function startBuffers(
  s: OracleState,
  c: Comparer,
  kind: Transfer,
  r: Message,
  recv: Receive,
  skip: number,
): boolean {
  if (kind === TRANSFER.read) {
    startRemote(s, c.source, r);
    startLocal(s, c.target, r);
    return true;
  }
  startSource(s, c.source, r);
  if (kind === TRANSFER.write) {
    startRemote(s, c.target, r);
    return true;
  }
  startLocal(s, c.target, recv);
  if (skip === 0) return true;
  c.target.range = s.openRanges.rangeBehind(c.target.range, skip);
  return c.target.skip(skip);
}
