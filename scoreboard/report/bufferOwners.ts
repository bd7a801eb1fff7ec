/** The buffers that requests of a process name, for messages about a place in its memory. Slow; runs only on a finding. */

import { CAUSE } from '../model/outcomes.ts';
import { isClosed } from '../rules/remoteAccess.ts';
import { Message, NONE, NO_LAST, type AnyRequest } from '../model/work.ts';
import { SGE_WORDS, spaceOf } from '../model/messages.ts';
import { requestName } from '../model/names.ts';
import { OP_ATOMIC, OP_READ, operationKind } from '../model/operations.ts';
import type { OracleState } from '../model/oracleState.ts';
import { TWO_32 } from '../../uvm/bytes/words.ts';

/** `BufferOwner.distance` of a buffer that shares bytes with the place. */
export const OVERLAP = -1;

/** `BufferOwner.closed` of the target of a request whose key does not open it. */
export const KEY_CLOSED = 'which its remote key does not open';

/** A place in the virtual memory of a process. */
export interface Place {
  readonly host: number;
  readonly process: number;
  readonly hi: number;
  readonly lo: number;
  readonly length: number;
}

/** A buffer of a request, seen from a place. */
export interface BufferOwner {
  readonly request: AnyRequest;
  /** Which buffer of which request. */
  readonly text: string;
  /** Position of the place in the buffer in bytes; negative in front of it. */
  readonly offset: number;
  /** Bytes. */
  readonly size: number;
  /** Bytes between the two, `OVERLAP` when they share some. */
  readonly distance: number;
  /** Why the NIC may not write it, '' when it may. */
  readonly closed: string;
}

/** Every buffer of outstanding requests in the process of a place. */
export function outstandingOwners(s: OracleState, place: Place): BufferOwner[] {
  return [...s.requests.all()].flatMap((r) => owners(s, r, place));
}

/**
 * The buffer at a place whose request has completed, as far as its record has not been taken for another one; of
 * several requests the one that completed last on its queue, or was posted last.
 */
export function completedOwner(s: OracleState, place: Place): BufferOwner | undefined {
  const found = [...s.requests.completed()].flatMap((r) => owners(s, r, place)).filter((o) => o.distance === OVERLAP);
  const rank = (o: BufferOwner): number => (isLatest(o.request) ? Infinity : o.request.wrId);
  const written = found.filter((o) => o.closed !== SOURCE);
  return (written.length > 0 ? written : found).sort((a, b) => rank(b) - rank(a))[0];
}

/** Bytes between [address, +size) and the place, or `OVERLAP`. */
export function distanceTo(offset: number, size: number, length: number): number {
  if (offset >= size) return offset - size;
  return offset + length <= 0 ? -(offset + length) : OVERLAP;
}

const SOURCE = 'which is a source and must not be written';
const CLOSED = 'which is closed to the NIC';

function owners(s: OracleState, r: AnyRequest, place: Place): BufferOwner[] {
  const q = r.qp;
  const near = r.owner.host === place.host && r.owner.process === place.process;
  const found = near ? entries(s, r, place) : [];
  if (!(r instanceof Message)) return found;
  const name = requestName(r);
  if (r.remoteSpace === spaceOf(place.host, place.process)) {
    found.push(remote(r, place, `the remote buffer of ${name}`, r.remoteOpen ? '' : CLOSED));
  } else if (r.remoteSpace === NONE && isClosed(r) && !r.outcomes.has(CAUSE.remoteRight)) {
    const here = q.remoteHost === place.host;
    if (here) found.push(remote(r, place, `the target of ${name}`, KEY_CLOSED));
  }
  return found;
}

function remote(r: Message, place: Place, text: string, closed: string): BufferOwner {
  return owner(r, place, r.remoteHi, r.remoteLo, r.length, text, closed);
}

function entries(s: OracleState, r: AnyRequest, place: Place): BufferOwner[] {
  const e = s.requests.sges.words;
  const received = !(r instanceof Message);
  const fetched = !received && (operationKind(r.opcode) & (OP_READ | OP_ATOMIC)) !== 0;
  const kind = received ? 'receive' : fetched ? 'local' : 'source';
  const which = r.outstanding ? 'outstanding' : 'completed';
  const found: BufferOwner[] = [];
  for (let i = 0; i < r.numSge; i++) {
    const at = r.sges + i * SGE_WORDS;
    const text = `the ${kind} buffer, SG entry ${i}, of ${which} ${requestName(r)}`;
    const closed = r.localOpen ? '' : received || fetched ? CLOSED : SOURCE;
    found.push(owner(r, place, e[at] as number, e[at + 1] as number, (e[at + 2] as number) >>> 0, text, closed));
  }
  return found;
}

function owner(
  request: AnyRequest,
  place: Place,
  hi: number,
  lo: number,
  size: number,
  text: string,
  closed: string,
): BufferOwner {
  const offset = (place.hi - hi) * TWO_32 + (place.lo >>> 0) - (lo >>> 0);
  return { request, text, offset, size, distance: distanceTo(offset, size, place.length), closed };
}

/** Whether a request is the one that completed last on its queue. */
function isLatest(r: AnyRequest): boolean {
  const { lastSlot } = r instanceof Message ? r.qp.sq : r.queue;
  return lastSlot !== NO_LAST && lastSlot === r.wqe;
}
