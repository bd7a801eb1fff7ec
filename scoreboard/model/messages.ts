/**
 * The records of outstanding requests: one `Message` or `Receive` each, kept for the next one when it is given back. Their
 * scatter/gather entries lie in a slab, three words each (address, length).
 */

import type { SendWr, Sge } from '../../agents/verbs/verbsItems.ts';
import { TWO_32 } from '../../uvm/bytes/words.ts';
import { type MrTable, NO_REGION } from './mrTable.ts';
import { Slab, sizeClass } from './slab.ts';
import {
  LONGEST_KNOWN,
  Message,
  NO_MESSAGE,
  NO_QP,
  NO_RECEIVE,
  NONE,
  type QueuePair,
  Receive,
  type WorkRequest,
  type AnyRequest,
  ARRIVAL,
  STAGE,
  type ReceiveQueue,
  UnattributedMessage,
} from './work.ts';

/** Words of one scatter/gather entry. */
export const SGE_WORDS = 3;
/** Words of the longest list that is usual: six entries, rounded up as the slab does. */
const USUAL_LIST = 32;
const HOST_SHIFT = 24;
const PROCESS_FIELD = (1 << HOST_SHIFT) - 1;

/** What a copy of a message has of it. */
const COPIED = [
  'qp',
  'opcode',
  'flags',
  'wqe',
  'wrId',
  'length',
  'numSge',
  'flat',
  'imm',
  'ah',
  'carriedHi',
  'carriedLo',
  'carriedKey',
  'postedAt',
  'order',
  'dest',
  'remoteSpace',
  'remoteHi',
  'remoteLo',
] as const;

/** What is known of a message from the packets that have come of it. */
export interface Delivered {
  readonly sender: QueuePair;
  /** `WR_OPCODE`. */
  readonly opcode: number;
  readonly length: number;
  readonly immediate: number;
}

export class Messages {
  readonly sges = new Slab();
  /** All that were ever made, by their `id`. */
  readonly #records: WorkRequest[] = [];
  #posted = 0;
  #unattributed = 0;
  #freeMessage: Message = NO_MESSAGE;
  #freeReceive: Receive = NO_RECEIVE;
  readonly #freeUnattributed: UnattributedMessage[] = [];

  /** Makes room for requests that are to come. */
  reserve(count: number): void {
    this.sges.reserve(count * USUAL_LIST);
  }

  /** The request of an `id`. */
  at(id: number): WorkRequest {
    return this.#records[id] as WorkRequest;
  }

  /** A send that is posted at `time` (ps), with all that is not told here as it is at first. */
  message(qp: QueuePair, wqe: number, wrId: number, time: number): Message {
    const m = this.#takeMessage();
    this.#posts(m, qp, wqe, wrId, time);
    return m;
  }

  /** A receive that is posted to a queue at `time` (ps), of which `qp` is the queue pair if it is not shared, with all that is not told here as it is at first. */
  receive(qp: QueuePair, queue: ReceiveQueue, wqe: number, wrId: number, time: number): Receive {
    let r = this.#freeReceive;
    if (r.exists) this.#freeReceive = r.next;
    else {
      r = new Receive(this.#records.length);
      this.#records.push(r);
    }
    resetRequest(r);
    r.next = NO_RECEIVE;
    r.queue = queue;
    r.takenBy = NO_MESSAGE;
    r.openBytes = NONE;
    r.holdsPartial = false;
    this.#posts(r, qp, wqe, wrId, time);
    return r;
  }

  /** `Message.order` of the request that is posted next. */
  get nextOrder(): number {
    return this.#posted;
  }

  /** Copies a scatter/gather list, with zero-based addresses made absolute, and sets length and `flat`. */
  setSges(m: WorkRequest, host: number, list: readonly Sge[], count: number, mrs: MrTable): void {
    if (m.sgeRoom < count) this.#makeRoom(m, count);
    const at = m.sges;
    const s = this.sges.words;
    const end = at + count * SGE_WORDS;
    let length = 0;
    let suspects = 0;
    for (let i = 0, p = at; p < end; i++, p += SGE_WORDS) {
      const { hi, lo, length: size, lkey } = list[i] as Sge;
      s[p] = hi | 0;
      s[p + 1] = lo | 0;
      s[p + 2] = size | 0;
      length += size;
      suspects |= mrs.zeroBasedMark(lkey);
    }
    if (suspects !== 0) makeAbsolute(s, at, host, list, count, mrs);
    m.numSge = count;
    m.length = Math.min(length, LONGEST_KNOWN);
    m.flat = isFlat(s, at, count, length);
  }

  /** Another message of the same request, for one that comes more than once; its place in the order is that of the other. */
  copyOf(m: Message): Message {
    const copy = this.#takeMessage();
    for (const field of COPIED) Object.assign(copy, { [field]: m[field] });
    if (copy.sgeRoom < m.numSge) this.#makeRoom(copy, m.numSge);
    const { words } = this.sges;
    words.copyWithin(copy.sges, m.sges, m.sges + m.numSge * SGE_WORDS);
    return copy;
  }

  /** A message of which no more is known than what has come of it. */
  unattributed({ sender, opcode, length, immediate }: Delivered, time: number): UnattributedMessage {
    let m = this.#freeUnattributed.pop();
    if (m === undefined) {
      m = new UnattributedMessage(this.#records.length);
      this.#records.push(m);
    }
    resetMessage(m);
    m.qp = sender;
    m.opcode = opcode;
    m.length = length;
    m.imm = immediate | 0;
    m.numSge = 0;
    m.wqe = NONE;
    m.wrId = 0;
    // Of none that is posted: the record may stand for another one later.
    m.order = NONE - ++this.#unattributed;
    m.postedAt = time;
    m.arrivedAt = time;
    m.latestAt = time;
    m.outstanding = false;
    m.stage = STAGE.arrived;
    m.arrival = ARRIVAL.mayVanish;
    m.altered = true;
    return m;
  }

  /** Notes what the packets of a send carry. */
  setCarried(m: Message, wr: SendWr, datagram: boolean): void {
    m.carriedHi = wr.remoteHi | 0;
    m.carriedLo = (datagram ? wr.remoteQpn : wr.remoteLo) | 0;
    m.carriedKey = (datagram ? wr.remoteQkey : wr.rkey) | 0;
  }

  /** Gives a request back. Its record says for messages what it was, until it is taken for another one. */
  release(m: WorkRequest): void {
    m.outstanding = false;
    if (m instanceof Message) {
      m.stage = STAGE.settled;
      if (m instanceof UnattributedMessage) this.#freeUnattributed.push(m);
      else {
        m.next = this.#freeMessage;
        this.#freeMessage = m;
      }
    } else if (m instanceof Receive) {
      m.next = this.#freeReceive;
      this.#freeReceive = m;
    }
  }

  /** Every request in use, for messages. */
  *all(): Generator<AnyRequest> {
    for (const m of this.#records as AnyRequest[]) if (isInUse(m)) yield m;
  }

  /** Every request that was given back and whose record no other one has taken, for messages. */
  *completed(): Generator<AnyRequest> {
    for (const m of this.#records as AnyRequest[]) if (!isInUse(m)) yield m;
  }

  #posts(r: WorkRequest, qp: QueuePair, wqe: number, wrId: number, time: number): void {
    r.qp = qp;
    r.wqe = wqe;
    r.wrId = wrId;
    r.postedAt = time;
    r.order = this.#posted;
    this.#posted++;
  }

  #makeRoom(m: WorkRequest, count: number): void {
    if (m.sges !== 0) this.sges.release(m.sges - 1, roomClass(m.sgeRoom));
    const log2 = roomClass(count);
    m.sges = this.sges.alloc(log2) + 1;
    m.sgeRoom = Math.floor(((1 << log2) - 1) / SGE_WORDS);
  }

  #takeMessage(): Message {
    let m = this.#freeMessage;
    if (m.exists) this.#freeMessage = m.next;
    else {
      m = new Message(this.#records.length);
      this.#records.push(m);
    }
    resetMessage(m);
    return m;
  }
}

function isInUse(r: AnyRequest): boolean {
  return r.outstanding || (r instanceof Message && r.dataOpen);
}

/** As if it were new, but for the room of its list. */
function resetRequest(r: WorkRequest): void {
  r.flat = false;
  r.outstanding = true;
  r.localBlock = NONE;
  r.outcomes.reset();
}

function resetMessage(m: Message): void {
  resetRequest(m);
  m.opcode = 0;
  m.flags = 0;
  m.signalled = false;
  m.imm = 0;
  m.ah = 0;
  m.dest = NO_QP;
  m.remoteSpace = NONE;
  m.next = NO_MESSAGE;
  m.link = NO_MESSAGE;
  m.stage = STAGE.settled;
  m.arrival = ARRIVAL.open;
  m.shared = false;
  m.arrivedAt = -1;
  m.latestAt = -1;
  m.altered = false;
  m.snapshot = false;
  m.remoteBlock = NONE;
}

/** Size class of a block with room for `count` entries and their number. */
function roomClass(count: number): number {
  return sizeClass(1 + count * SGE_WORDS);
}

/** Host, 0 .. 127, and process, 24 bits, in one word. */
export function spaceOf(host: number, process: number): number {
  return (host << HOST_SHIFT) | process;
}

/** Host of a `spaceOf`. */
export function hostOf(space: number): number {
  return space >> HOST_SHIFT;
}

/** Process of a `spaceOf`. */
export function processOf(space: number): number {
  return space & PROCESS_FIELD;
}

/** True when each entry begins where the one before it ends, all in the same upper half. */
function isFlat(s: Int32Array, first: number, count: number, length: number): boolean {
  for (let i = 1, p = first; i < count; i++, p += SGE_WORDS) {
    const next = ((s[p + 1] as number) + (s[p + 2] as number)) | 0;
    if (s[p + SGE_WORDS + 1] !== next || s[p + SGE_WORDS] !== s[p]) return false;
  }
  return count > 0 && ((s[first + 1] as number) >>> 0) + length <= TWO_32;
}

/** Adds the start of its region to the address of each entry that names a zero-based one. */
function makeAbsolute(
  s: Int32Array,
  first: number,
  host: number,
  list: readonly Sge[],
  count: number,
  mrs: MrTable,
): void {
  for (let i = 0, p = first; i < count; i++, p += SGE_WORDS) {
    const sge = list[i] as Sge;
    const mr = mrs.find(host, sge.lkey);
    if (mr === NO_REGION || !mrs.isZeroBased(mr)) continue;
    const lo = (mrs.lo(mr) >>> 0) + (sge.lo >>> 0);
    s[p] = (mrs.hi(mr) + sge.hi + (lo >= TWO_32 ? 1 : 0)) | 0;
    s[p + 1] = lo | 0;
  }
}
