/** Which messages a read of host memory may have been made for. Slow: asked only of reads that fail. */

import type { FailedAccess } from '../../../agents/pcie/faults/failedAccess.ts';
import { PSN_MASK } from '../../../rdma/bth.ts';
import { QP_TYPE, SEND_FLAG } from '../../../rdma/verbs.ts';
import { SGE_WORDS, spaceOf } from '../../model/messages.ts';
import { mayHaveBegun } from '../../model/messageUnderWay.ts';
import type { Region } from '../../model/mrTable.ts';
import { OP_ATOMIC, OP_READ, OP_WRITE, operationKind } from '../../model/operations.ts';
import type { OracleState } from '../../model/oracleState.ts';
import { Message, type QueuePair, type AnyRequest, type Receive } from '../../model/work.ts';
import { distance, type MemoryRange, overlap } from './responderResources.ts';

const FETCHES = OP_READ | OP_ATOMIC;
const REMOTE = FETCHES | OP_WRITE;

/** What a read of data memory fetches data for. */
export interface DataReaders {
  /** Messages that are sent from there. */
  readonly local: Message[];
  /** READs and atomics of others that name it. */
  readonly remote: Message[];
  /** Responders of such ones that their requesters have done with. */
  readonly responders: readonly QueuePair[];
  /** One of those that are sent may be sent again: its data are not needed any more when it is acknowledged meanwhile. */
  readonly mayBeRepeat: boolean;
}

/** What a translation entry of a region is read for. */
interface RegionReaders extends DataReaders {
  /** Receives there. */
  readonly receives: readonly Receive[];
}

/** What a read of data memory may have been made for. */
export function servedByDataRead(s: OracleState, access: FailedAccess): DataReaders {
  const { host, hi, lo, length } = access;
  const { memory } = s;
  memory.reverse(host, hi, lo);
  const { process, virtHi, virtLo } = memory;
  return readersOf(s, host, process, { space: spaceOf(host, process), hi: virtHi, lo: virtLo, length }, false);
}

/** What the translation of a region may have been read for; `remote` are all that name a part of it, and `local` READs too. */
export function servedByRegion(s: OracleState, host: number, region: Region): RegionReaders {
  const { mrs } = s;
  const process = mrs.process(region);
  const range = { space: spaceOf(host, process), hi: mrs.hi(region), lo: mrs.lo(region), length: mrs.length(region) };
  return readersOf(s, host, process, range, true);
}

/** @param writes who writes there counts too: what is read is not the data */
function readersOf(s: OracleState, host: number, process: number, range: MemoryRange, writes: boolean): RegionReaders {
  const local: Message[] = [];
  const remote: Message[] = [];
  const receives: Receive[] = [];
  let mayBeRepeat = false;
  for (const r of s.requests.all()) {
    if (!r.outstanding) continue;
    const isOwn = r.owner.host === host && r.owner.process === process;
    if (!(r instanceof Message)) {
      if (writes && isOwn && offsetIn(s, r, range) >= 0) receives.push(r);
      continue;
    }
    const kind = operationKind(r.opcode);
    const fetches = (kind & FETCHES) !== 0;
    const isRead = isOwn && (r.flags & SEND_FLAG.inline) === 0 && (writes || !fetches);
    const offset = isRead ? offsetIn(s, r, range) : -1;
    if (offset >= 0) {
      local.push(r);
      mayBeRepeat ||= !fetches && isOnTheWire(s, r, offset);
    }
    const names = (kind & (writes ? REMOTE : FETCHES)) !== 0 && r.remoteSpace === range.space;
    if (names && overlap({ hi: r.remoteHi, lo: r.remoteLo, length: r.length }, range)) remote.push(r);
  }
  return { local, remote, receives, responders: s.responderResources.readersOf(range), mayBeRepeat };
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

/** Which byte of a message the first one of a range is, or its own first one where the range begins before it; -1 if it has none. */
function offsetIn(s: OracleState, r: AnyRequest, range: MemoryRange): number {
  const e = s.requests.sges.words;
  let before = 0;
  for (let i = 0; i < r.numSge; i++) {
    const at = r.sges + i * SGE_WORDS;
    const entry = { hi: e[at] as number, lo: e[at + 1] as number, length: (e[at + 2] as number) >>> 0 };
    if (overlap(entry, range)) return before + Math.max(0, distance(entry, range));
    before += entry.length;
  }
  return -1;
}

/** Whether the packet with this byte of a message has been sent, as far as the wire shows. */
function isOnTheWire(s: OracleState, r: Message, offset: number): boolean {
  const { tx, mtu } = r.qp;
  if (tx.now !== r) return mayHaveBegun(s, r);
  return offset < (((tx.psn - tx.first) & PSN_MASK) + 1) * mtu;
}
