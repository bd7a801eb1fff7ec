/**
 * Outstanding work requests, 16 words each in one array with a free list; their scatter/gather entries lie in a slab,
 * three words each (address, length). A request is named by its offset in `words` (`r`).
 */

import type { SendWr, Sge } from '../../agents/verbs/verbsItems.ts';
import { type MrTable, NO_REGION } from './mrTable.ts';
import { NONE } from './qps.ts';
import { Slab, sizeClass } from './slab.ts';
import { lengthened, widened } from '../../uvm/bytes/widened.ts';
import { TWO_32, INDEX_BITS } from '../../uvm/bytes/words.ts';

/** Length of lists that have so many bytes or more. */
export const LONGEST_KNOWN = 0xffff_ffff;

// Fields of a request, added to its offset.
/** Next request of the same work queue; next free record. */
export const R_NEXT = 0;
/** Queue pair it was posted on. */
export const R_QP = 1;
/** Slot in its ring. */
export const R_WQE = 2;
/** Opcode in bits 5:0, `S_SHARED` in bit 7, send flags in 11:8, the other `S_*` above. */
export const R_STATE = 3;
/** Message length or receive buffer size, unsigned. */
const R_LENGTH = 4;
/**
 * Number of entries; offset in `sges.words` of the first, or of where there is room for some, 0 = nowhere. In the word
 * before it is how many have room there. A free record keeps the room for the next request.
 */
export const R_NUM_SGE = 5;
export const R_SGES = 6;
/** Next message of the destination's list, or next plain WRITE not yet judged. */
export const R_LINK = 7;
/** In the place of `R_LINK`, of requests in neither list whose local list is open: its first block of `OpenRanges`. */
export const R_LOCAL_BLOCK = 7;
/** Two-sided: destination queue pair. */
export const R_DEST = 8;
/** One-sided: remote host and process as of `spaceOf`, absolute virtual address. */
export const R_RSPACE = 9;
export const R_RHI = 10;
/** UD: address handle, in the place of `R_RHI`. */
export const R_AH = 10;
export const R_RLO = 11;
/** While the remote range is open: its first block of `OpenRanges`. */
export const R_REMOTE_BLOCK = 15;
export const R_IMM = 12;
/** In its place, of receives: bytes in front of the first one that their keys do not open, -1 when they open all. */
export const R_OPEN_BYTES = 12;
/** Identifier given by the user, 53 bits. */
export const R_ID_LO = 13;
export const R_ID_HI = 14;
const LOG2_STRIDE = 4;

/** A plain WRITE whose bytes others could write when something overtook it: only quiet can tell. */
export const S_SHARED = 1 << 7;
/** In its place, of receives: it may hold the beginning of a message that was dropped. */
export const S_HOLDS_MORE = 1 << 7;
/** Posted on the receive queue. */
export const S_RECV = 1 << 12;
/** The send asked for a completion. */
export const S_SIGNALLED = 1 << 13;
/** Its completion, own or implied, is outstanding. */
export const S_COMP = 1 << 14;
/** Its data has not been judged. */
export const S_DATA = 1 << 15;
/** Its data may or may not arrive: it failed, or an unreliable service may drop it. */
export const S_FAILED = 1 << 16;
/** Its local list is open for the NIC. */
export const S_GRANTED = 1 << 17;
/** Data compared and right; only its grant is still open. */
export const S_JUDGED = 1 << 18;
/** Inline data was copied at posting because the source was not seeded memory. */
export const S_SNAPSHOT = 1 << 19;
/** The remote key does not cover the target: a remote access error is expected. */
export const S_BAD_KEY = 1 << 20;
/** Counted in `OracleState.outstanding` as a message on its way. */
export const S_AWAITED = 1 << 21;

/** Its remote range is open for the NIC. */
export const S_REMOTE = 1 << 22;
/** Its entries lie one behind the other: the list is one range from the first address on, within one upper half. */
export const S_FLAT = 1 << 23;
/** A local key does not cover its entry: a local protection error is expected. */
export const S_BAD_LOCAL = 1 << 24;
/** The peer does not permit the operation (set with `S_BAD_KEY`): an invalid request error is expected. */
export const S_BAD_RIGHT = 1 << 25;
/** The service does not have the operation: a local operation error is expected. */
export const S_BAD_SERVICE = 1 << 26;
/** A datagram longer than a packet: a local length error is expected. */
export const S_BAD_LENGTH = 1 << 27;
/** Its receive is shorter, as the receiver said: an invalid request error is expected. */
export const S_TOO_LONG = 1 << 28;
/** What the peer permits changed meanwhile, or was not known when it was posted: it may be refused or not. */
export const S_EITHER = 1 << 29;
/** Its receive has keys that do not open it, as the receiver said: a remote operation error is expected. */
export const S_BAD_RECEIVE = 1 << 30;
/**
 * The region of its remote key went meanwhile, or the protection domain of its peer was not known: a remote access error
 * is possible. On UC its peer may be gone as well.
 */
export const S_WITHDRAWN = 1 << 31;
/** Any of the mistakes that a request must end with an error for, or on unreliable services come to nothing. */
export const S_BAD = S_BAD_KEY | S_BAD_LOCAL | S_BAD_SERVICE | S_BAD_LENGTH | S_TOO_LONG | S_BAD_RECEIVE;

export const OPCODE_MASK = 0x3f;
export const FLAGS_SHIFT = 8;
// What the packets of a request carry, added to `Requests.carried`: remote address and R_Key, or of datagrams
// destination queue pair and Q_Key.
export const C_HI = 0;
export const C_LO = 1;
export const C_DEST_QPN = 1;
export const C_KEY = 2;
const LOG2_CARRIED = 2;

/** Words of one scatter/gather entry. */
export const SGE_WORDS = 3;
/** Words of the longest list that is usual: six entries, rounded up as the slab does. */
const USUAL_LIST = 32;
const HOST_SHIFT = 24;
const PROCESS_FIELD = (1 << HOST_SHIFT) - 1;

export class Requests {
  /** All fields. Replaced when it grows. */
  words = new Int32Array(1 << 12);
  readonly sges = new Slab();
  /** What packets carry, four words a request, from `carriedBy` on. Replaced when it grows. */
  carried = new Int32Array(1 << (12 - LOG2_STRIDE + LOG2_CARRIED));
  /** When each was posted, ps. */
  #times = new Float64Array(1 << (12 - LOG2_STRIDE));
  /** As the how-manieth, modulo 2^32. */
  #order = new Int32Array(1 << (12 - LOG2_STRIDE));
  #posted = 0;
  #free: number = NONE;
  #top = 0;

  /** Makes room for requests that are to come. */
  reserve(count: number): void {
    if (count << LOG2_STRIDE > this.words.length) this.#widen(count << LOG2_STRIDE);
    this.sges.reserve(count * USUAL_LIST);
  }

  /** A request with its queue pair, slot, identifier and state set and all links empty. */
  allocate(q: number, wqe: number, wrId: number, state: number): number {
    const r = this.#take() & INDEX_BITS;
    const w = this.words;
    w[r + R_NEXT] = NONE;
    w[r + R_QP] = q;
    w[r + R_WQE] = wqe;
    w[r + R_STATE] = state;
    w[r + R_LINK] = NONE;
    w[r + R_DEST] = NONE;
    w[r + R_RSPACE] = NONE;
    w[r + R_ID_LO] = wrId | 0;
    w[r + R_ID_HI] = upperHalf(wrId);
    return r;
  }

  addState(r: number, bits: number): void {
    this.words[r + R_STATE] = (this.words[r + R_STATE] as number) | bits;
  }

  /** Notes that a request is posted at `time`. */
  posted(r: number, time: number): void {
    this.#times[r >> LOG2_STRIDE] = time;
    this.#order[r >> LOG2_STRIDE] = this.#posted;
    this.#posted = (this.#posted + 1) | 0;
  }

  /** Where in `carried` a request's words begin. */
  carriedBy(r: number): number {
    return r >> (LOG2_STRIDE - LOG2_CARRIED);
  }

  /** When a request was posted, ps. */
  postedAt(r: number): number {
    return this.#times[r >> LOG2_STRIDE] as number;
  }

  /** A number that grows from request to request, in the order of posting; 32 bits, signed, it wraps. */
  orderOf(r: number): number {
    return this.#order[r >> LOG2_STRIDE] as number;
  }

  /** That of the request that is posted next. */
  get nextOrder(): number {
    return this.#posted;
  }

  /** Whether a request was posted before one with this place in the order. */
  isBefore(r: number, order: number): boolean {
    return ((this.orderOf(r) - order) | 0) < 0;
  }

  /** Copies a scatter/gather list, with zero-based addresses made absolute, and sets length and `S_FLAT`. */
  setSges(r: number, host: number, list: readonly Sge[], count: number, mrs: MrTable): void {
    const at = this.#roomFor(r, count) & INDEX_BITS;
    const s = this.sges.words;
    const end = (at + count * SGE_WORDS) & INDEX_BITS;
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
    const w = this.words;
    w[r + R_NUM_SGE] = count;
    w[r + R_LENGTH] = Math.min(length, LONGEST_KNOWN) | 0;
    if (isFlat(s, at, count, length)) w[r + R_STATE] = (w[r + R_STATE] as number) | S_FLAT;
  }

  /** Notes what the packets of a send carry. */
  setCarried(r: number, wr: SendWr, datagram: boolean): void {
    const c = this.carriedBy(r);
    const to = this.carried;
    to[c + C_HI] = wr.remoteHi;
    to[c + C_LO] = datagram ? wr.remoteQpn : wr.remoteLo;
    to[c + C_KEY] = datagram ? wr.remoteQkey : wr.rkey;
  }

  /** The remote range of a one-sided request as it was posted. */
  remoteOf(r: number): Pick<SendWr, 'remoteHi' | 'remoteLo' | 'rkey'> {
    const c = this.carriedBy(r);
    const w = this.carried;
    return { remoteHi: w[c + C_HI] as number, remoteLo: w[c + C_LO] as number, rkey: w[c + C_KEY] as number };
  }

  /** Gives a request back. Its record says for messages what it was, until it is taken for another one. */
  release(r: number): void {
    const w = this.words;
    w[r + R_STATE] = (w[r + R_STATE] as number) & (OPCODE_MASK | S_RECV);
    w[r + R_NEXT] = this.#free;
    this.#free = r;
  }

  /** Identifier given by the user. */
  wrId(r: number): number {
    return (this.words[r + R_ID_HI] as number) * TWO_32 + ((this.words[r + R_ID_LO] as number) >>> 0);
  }

  /** Message length or buffer size in bytes, `LONGEST_KNOWN` at most. */
  length(r: number): number {
    return (this.words[r + R_LENGTH] as number) >>> 0;
  }

  /** Every request in use, for messages. */
  *all(): Generator<number> {
    for (let r = 0; r < this.#top; r += 1 << LOG2_STRIDE) {
      if (((this.words[r + R_STATE] as number) & (S_COMP | S_DATA)) !== 0) yield r;
    }
  }

  /** Every request that was given back and whose record no other one has taken, for messages. */
  *completed(): Generator<number> {
    for (let r = 0; r < this.#top; r += 1 << LOG2_STRIDE) {
      if (((this.words[r + R_STATE] as number) & (S_COMP | S_DATA)) === 0) yield r;
    }
  }

  /** Offset of room for `count` entries of a request. */
  #roomFor(r: number, count: number): number {
    const at = this.words[r + R_SGES] as number;
    const room = at === 0 ? 0 : (this.sges.words[at - 1] as number);
    return room >= count ? at : this.#makeRoom(r, at, room, count);
  }

  #makeRoom(r: number, old: number, oldRoom: number, count: number): number {
    if (old !== 0) this.sges.release(old - 1, roomClass(oldRoom));
    const log2 = roomClass(count);
    const at = this.sges.alloc(log2) + 1;
    this.sges.words[at - 1] = Math.floor(((1 << log2) - 1) / SGE_WORDS);
    this.words[r + R_SGES] = at;
    return at;
  }

  #take(): number {
    const r = this.#free;
    if (r !== NONE) {
      this.#free = this.words[r + R_NEXT] as number;
      return r;
    }
    const at = this.#top;
    this.#top += 1 << LOG2_STRIDE;
    if (this.#top > this.words.length) this.#widen(this.#top);
    return at;
  }

  #widen(least: number): void {
    this.words = widened(this.words, least);
    this.#times = lengthened(this.#times, this.words.length >> LOG2_STRIDE);
    this.#order = widened(this.#order, this.#times.length);
    this.carried = widened(this.carried, this.#times.length << LOG2_CARRIED);
  }
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

/** Bits 52:32 of an identifier. Nearly all are below 2^31. */
export function upperHalf(id: number): number {
  return (id & 0x7fff_ffff) === id ? 0 : Math.floor(id / TWO_32);
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
