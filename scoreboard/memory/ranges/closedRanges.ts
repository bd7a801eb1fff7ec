/**
 * Ranges that were closed lately, with who may have written them: what comes in question for bytes that are not what
 * one request left there, although no outstanding request may write them any more.
 *
 *   WRITE posted ── its data land ──────────────────────── judged: other bytes there
 *        receive posted ── data of a SEND land there ── completed, closed
 *
 * Only the latest are kept, and those since the first of the WRITEs was posted that were not right at their completion:
 * they are judged when nothing moves any more. Which of them come in question is asked when data are not right, which is
 * rare.
 */

import { Message, type AnyRequest, type Receive, UnattributedMessage } from '../../model/work.ts';
import type { Messages } from '../../model/messages.ts';
import { OP_READ, operationKind } from '../../model/operations.ts';
import { firstOf, lastOf, NO_BLOCK, OpenRanges, rangeOf } from './openRanges.ts';
import { lengthened } from '../../../uvm/bytes/widened.ts';

/** Entries that are kept, at first, usually, and at most: powers of two. */
const FIRST_ROOM = 1 << 10;
const USUAL_ROOM = 1 << 14;
const MOST_ROOM = 1 << 20;
// Fields of an entry: page; first byte and last byte << 12; the place in the order of posting of the request that may
// have written it; queue pair of that, complemented for READs, or `UNORDERED`.
const PAGE = 0;
const RANGE = 1;
const ORDER = 2;
const QUEUE_PAIR = 3;
const WORDS_LOG2 = 2;
/** Place of a message of which only its packets are known: that of none. */
const NO_ORDER = -1;
/** Software, and messages of which only the receive is known: nothing says that what they wrote was there before. */
const UNORDERED = -0x8000_0000;

/** As `Message.latestAt`. */
const NOT_ARRIVED = -1;

/** A byte of a data page, named as in `DataPages`. */
export interface PagePlace {
  readonly page: number;
  readonly offset: number;
}

export class ClosedRanges {
  /** Of the transfer that is being judged, the bytes that others may have written behind it. */
  readonly inQuestion = new OpenRanges();
  readonly #openRanges: OpenRanges;
  readonly #requests: Messages;
  /** Simulated time, ps. */
  readonly #inOrder: boolean;
  readonly #clock: { readonly now: number };
  #words = new Int32Array(FIRST_ROOM << WORDS_LOG2);
  /** When each was closed, ps. */
  #times = new Float64Array(FIRST_ROOM);
  /** When a packet of the message that may have written each came last, ps; -1 where that is not known. */
  #arrivals = new Float64Array(FIRST_ROOM);
  #count = 0;
  /** Time from which on entries are needed, ps. */
  #neededFrom = Number.POSITIVE_INFINITY;
  readonly #shown: number[] = [];

  /** @param inOrder what a queue pair sends earlier is done before what it sends later */
  constructor(openRanges: OpenRanges, requests: Messages, clock: { readonly now: number }, inOrder = true) {
    this.#inOrder = inOrder;
    this.#openRanges = openRanges;
    this.#requests = requests;
    this.#clock = clock;
  }

  /** Keeps what is closed from a time on, ps. */
  keepFrom(time: number): void {
    this.#neededFrom = Math.min(this.#neededFrom, time);
  }

  /** Nobody needs what was closed before now. */
  keepNothing(): void {
    this.#neededFrom = Number.POSITIVE_INFINITY;
  }

  /** Whether something that was closed since request `r` was posted is not known any more. */
  hasLost(r: Message): boolean {
    const oldest = this.#count - this.#times.length;
    return oldest > 0 && (this.#times[this.#entry(oldest)] as number) >= r.postedAt;
  }

  /**
   * The ranges of a request, in `first` and the blocks behind it, are about to be closed; `writer` is what may have
   * written them: a request, or a receive, whose message is not known then.
   */
  note(first: number, writer: AnyRequest): void {
    const openRanges = this.#openRanges;
    const queuePair = queuePairOf(writer);
    const latestAt = writer instanceof Message ? writer.latestAt : NOT_ARRIVED;
    const order = writer instanceof UnattributedMessage ? NO_ORDER : writer.order;
    const from = openRanges.words;
    for (let block = first; block !== NO_BLOCK; block = openRanges.sibling(block)) {
      const page = openRanges.page(block);
      const begin = openRanges.firstRange(block);
      for (let at = begin, end = begin + openRanges.size(block); at < end; at++)
        this.#add(page, from[at] as number, order, queuePair, latestAt);
    }
  }

  /** Software has written bytes [from, to) of a page. */
  written(page: number, from: number, to: number): void {
    this.#add(page, rangeOf(from, to), this.#requests.nextOrder, UNORDERED, NOT_ARRIVED);
  }

  /**
   * Whether one of `places` has been closed since request `r` was posted, and `recv`, the receive that it fills. What its
   * own queue pair sent before it does not count, since that comes first, unless the link let it overtake that; only READs
   * are not waited for by others.
   */
  holds(r: Message, recv: Receive, places: readonly PagePlace[]): boolean {
    const begin = this.#begin(r, recv);
    for (let i = begin; i < this.#count; i++) {
      const e = this.#entry(i) << WORDS_LOG2;
      if (places.some((place) => this.#covers(e, place)) && !this.#precedes(e, r)) return true;
    }
    return false;
  }

  /** Puts all of those into `inQuestion`. */
  show(r: Message, recv: Receive): void {
    for (let i = this.#begin(r, recv); i < this.#count; i++) {
      const e = this.#entry(i) << WORDS_LOG2;
      if (this.#precedes(e, r)) continue;
      this.#shown.push(this.inQuestion.openRange(this.#words[e + PAGE] as number, this.#words[e + RANGE] as number));
    }
  }

  /** Empties `inQuestion`. */
  hide(): void {
    for (const block of this.#shown) this.inQuestion.close(block);
    this.#shown.length = 0;
  }

  #add(page: number, range: number, order: number, queuePair: number, latestAt: number): void {
    const entry = this.#next();
    const e = entry << WORDS_LOG2;
    const to = this.#words;
    to[e + PAGE] = page;
    to[e + RANGE] = range;
    to[e + ORDER] = order;
    to[e + QUEUE_PAIR] = queuePair;
    this.#times[entry] = this.#clock.now;
    this.#arrivals[entry] = latestAt;
  }

  /** Place of the `i`-th entry of all. */
  #entry(i: number): number {
    return i & (this.#times.length - 1);
  }

  /** Place of a new entry: behind the last, or that of the oldest. */
  #next(): number {
    const room = this.#times.length;
    if (this.#count >= room && room < MOST_ROOM && (room < USUAL_ROOM || this.#isOldestNeeded())) this.#grow();
    return this.#entry(this.#count++);
  }

  #isOldestNeeded(): boolean {
    return (this.#times[this.#entry(this.#count)] as number) >= this.#neededFrom;
  }

  /** Doubles the room. What lies in the first half of the places may belong into the second one then. */
  #grow(): void {
    const room = this.#times.length;
    // Exactly twice as long: what grows faster than the times would soon be all of the memory.
    const words = new Int32Array(2 * this.#words.length);
    words.set(this.#words);
    this.#words = words;
    this.#times = lengthened(this.#times, 2 * room);
    this.#arrivals = lengthened(this.#arrivals, 2 * room);
    for (let i = this.#count - room; i < this.#count; i++) {
      const [from, to] = [i & (room - 1), this.#entry(i)];
      if (from === to) continue;
      this.#words.copyWithin(to << WORDS_LOG2, from << WORDS_LOG2, (from + 1) << WORDS_LOG2);
      this.#times[to] = this.#times[from] as number;
      this.#arrivals[to] = this.#arrivals[from] as number;
    }
  }

  /** The first entry that may come in question. */
  #begin(r: Message, recv: Receive): number {
    const posted = r.postedAt;
    const since = !recv.exists ? posted : Math.max(posted, recv.postedAt);
    const oldest = Math.max(0, this.#count - this.#times.length);
    let i = this.#count;
    while (i > oldest && (this.#times[this.#entry(i - 1)] as number) >= since) i--;
    return i;
  }

  #covers(e: number, place: PagePlace): boolean {
    if (this.#words[e + PAGE] !== place.page) return false;
    const range = this.#words[e + RANGE] as number;
    return firstOf(range) <= place.offset && place.offset <= lastOf(range);
  }

  /** Whether an entry is of request `r` itself, or of one that is done before it. */
  #precedes(e: number, r: Message): boolean {
    const order = this.#words[e + ORDER] as number;
    const queuePair = this.#words[e + QUEUE_PAIR] as number;
    if (order === (r.order | 0)) return !(r instanceof UnattributedMessage);
    const own = queuePairOf(r);
    const ordered = this.#inOrder && own !== UNORDERED && isOrdered(queuePair, own);
    return ordered && !r.isBefore(order) && !r.hasOvertaken(this.#arrivals[e >> WORDS_LOG2] as number);
  }
}

/** Queue pair that a request was sent by, complemented for READs. Which place one has of which only packets are known nobody knows. */
function queuePairOf(r: AnyRequest): number {
  if (!(r instanceof Message) || r instanceof UnattributedMessage) return UNORDERED;
  const { id } = r.qp;
  return (operationKind(r.opcode) & OP_READ) === 0 ? id : ~id;
}

/** Whether what was sent earlier is done before what is sent later: on the same queue pair, but only READs wait for READs. */
function isOrdered(earlier: number, later: number): boolean {
  return earlier === later || (earlier >= 0 && earlier === ~later);
}
