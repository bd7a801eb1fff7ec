/** Which messages a read of host memory may have been made for. Slow: asked only of reads that fail. */

import type { FailedAccess } from '../../../agents/pcie/faults/failedAccess.ts';
import { QP_TYPE, SEND_FLAG } from '../../../rdma/verbs.ts';
import { TWO_32 } from '../../../uvm/bytes/words.ts';
import { SGE_WORDS, spaceOf } from '../../model/messages.ts';
import type { Region } from '../../model/mrTable.ts';
import { OP_ATOMIC, OP_READ, OP_WRITE, operationKind } from '../../model/operations.ts';
import type { OracleState } from '../../model/oracleState.ts';
import type { Message, QueuePair } from '../../model/work.ts';

const FETCHES = OP_READ | OP_ATOMIC;
const REMOTE = FETCHES | OP_WRITE;

/** Messages whose data a read of data memory fetches: those that are sent from there, and READs of it by others. */
export function servedByDataRead(s: OracleState, access: FailedAccess): { local: Message[]; remote: Message[] } {
  const { host, hi, lo, length } = access;
  const { memory } = s;
  memory.reverse(host, hi, lo);
  const place = { host, process: memory.process, hi: memory.virtHi, lo: memory.virtLo, length };
  const local: Message[] = [];
  const remote: Message[] = [];
  for (const r of s.requests.all()) {
    if (r.isReceive || !r.outstanding) continue;
    const fetches = (operationKind(r.opcode) & FETCHES) !== 0;
    if (fetches) {
      if (r.remoteSpace === spaceOf(host, place.process) && meets(r.remoteHi, r.remoteLo, r.length, place))
        remote.push(r);
    } else if (r.qp.host === host && r.qp.process === place.process && (r.flags & SEND_FLAG.inline) === 0) {
      if (isSentFrom(s, r, place)) local.push(r);
    }
  }
  return { local, remote };
}

/**
 * Messages for which the translation of a region is asked: those of its host that send from there, or whose answers go there;
 * those of others that name a part of it; and receives there.
 */
export function servedByRegion(
  s: OracleState,
  host: number,
  region: Region,
): { local: Message[]; remote: Message[]; receives: Message[] } {
  const { mrs } = s;
  const process = mrs.process(region);
  const place = { hi: mrs.hi(region), lo: mrs.lo(region), length: mrs.length(region) };
  const local: Message[] = [];
  const remote: Message[] = [];
  const receives: Message[] = [];
  for (const r of s.requests.all()) {
    if (!r.outstanding) continue;
    const isOwn = r.qp.host === host && r.qp.process === process;
    if (r.isReceive) {
      if (isOwn && isSentFrom(s, r, place)) receives.push(r);
      continue;
    }
    if (isOwn && (r.flags & SEND_FLAG.inline) === 0 && isSentFrom(s, r, place)) local.push(r);
    if ((operationKind(r.opcode) & REMOTE) === 0) continue;
    if (r.remoteSpace === spaceOf(host, process) && meets(r.remoteHi, r.remoteLo, r.length, place)) remote.push(r);
  }
  return { local, remote, receives };
}

/** Sends of a queue pair whose entries in its send queue a read may have fetched. */
export function outstandingSends(q: QueuePair): Message[] {
  const found: Message[] = [];
  for (let r = q.sq.head; r.exists; r = r.next) found.push(r);
  return found;
}

/** Messages on their way to a queue pair, for one of which a read may have looked for its receive. */
export function messagesTo(q: QueuePair): Message[] {
  const found: Message[] = [];
  if (q.type === QP_TYPE.rc) for (let r = q.inbound.head; r.exists; r = r.link) found.push(r);
  return found;
}

interface Place {
  readonly hi: number;
  readonly lo: number;
  readonly length: number;
}

function isSentFrom(s: OracleState, r: Message, place: Place): boolean {
  const e = s.requests.sges.words;
  for (let i = 0; i < r.numSge; i++) {
    const at = r.sges + i * SGE_WORDS;
    if (meets(e[at] as number, e[at + 1] as number, (e[at + 2] as number) >>> 0, place)) return true;
  }
  return false;
}

function meets(hi: number, lo: number, size: number, place: Place): boolean {
  const offset = (place.hi - hi) * TWO_32 + (place.lo >>> 0) - (lo >>> 0);
  return offset < size && offset + place.length > 0;
}
