/**
 * Ranges that were closed lately, with who may have written them: what comes in question for bytes that are not what
 * one request left there, although no outstanding request may write them any more.
 *
 *   WRITE posted ── its data land ──────────────────────── judged: other bytes there
 *        receive posted ── data of a SEND land there ── completed, closed
 *
 * Only the latest are kept. Which of them come in question is asked when data are not right, which is rare.
 */

import { OP_READ, operationKind } from './operations.ts';
import { firstOf, lastOf, NO_BLOCK, OpenRanges } from './openRanges.ts';
import { NONE } from './qps.ts';
import { OPCODE_MASK, R_QP, R_STATE, type Requests } from './requests.ts';

import { INDEX_BITS } from '../uvm/bytes/words.ts';

const KEPT_LOG2 = 14;
const KEPT = 1 << KEPT_LOG2;
// Fields of an entry: page; first byte and last byte << 12; the place in the order of posting of the request that may
// have written it; queue pair of that, complemented for READs.
const PAGE = 0;
const RANGE = 1;
const ORDER = 2;
const QUEUE_PAIR = 3;
const WORDS_LOG2 = 2;

/** A byte of a data page, named as in `DataPages`. */
export interface PagePlace {
  readonly page: number;
  readonly offset: number;
}

export class ClosedRanges {
  /** Of the transfer that is being judged, the bytes that others may have written behind it. */
  readonly inQuestion = new OpenRanges();
  readonly #openRanges: OpenRanges;
  readonly #requests: Requests;
  /** Simulated time, ps. */
  readonly #clock: { readonly now: number };
  readonly #words = new Int32Array(KEPT << WORDS_LOG2);
  /** When each was closed, ps. */
  readonly #times = new Float64Array(KEPT);
  #count = 0;
  readonly #shown: number[] = [];

  constructor(openRanges: OpenRanges, requests: Requests, clock: { readonly now: number }) {
    this.#openRanges = openRanges;
    this.#requests = requests;
    this.#clock = clock;
  }

  /** The ranges of a request, in `first` and the blocks behind it, are about to be closed; `writer` is what may have written them. */
  note(first: number, writer: number): void {
    const openRanges = this.#openRanges;
    const requests = this.#requests;
    const { now } = this.#clock;
    const queuePair = queuePairOf(requests.words, writer);
    const order = requests.orderOf(writer);
    const from = openRanges.words;
    const to = this.#words;
    const times = this.#times;
    for (let block = first; block !== NO_BLOCK; block = openRanges.sibling(block)) {
      const page = openRanges.page(block);
      const begin = openRanges.firstRange(block);
      for (let at = begin, end = begin + openRanges.size(block); at < end; at++) {
        const entry = this.#count++ & (KEPT - 1);
        const e = entry << WORDS_LOG2;
        to[e + PAGE] = page;
        to[e + RANGE] = from[at] as number;
        to[e + ORDER] = order;
        to[e + QUEUE_PAIR] = queuePair;
        times[entry] = now;
      }
    }
  }

  /**
   * Whether one of `places` has been closed since request `r` was posted, and `recv`, the receive that it fills. What its
   * own queue pair sent before it does not count, since that comes first; only READs are not waited for by others.
   */
  holds(r: number, recv: number, places: readonly PagePlace[]): boolean {
    return this.#since(r, recv).some((e) => places.some((place) => this.#covers(e, place)));
  }

  /** Puts all of those into `inQuestion`. */
  show(r: number, recv: number): void {
    for (const e of this.#since(r, recv))
      this.#shown.push(this.inQuestion.openRange(this.#words[e + PAGE] as number, this.#words[e + RANGE] as number));
  }

  /** Empties `inQuestion`. */
  hide(): void {
    for (const block of this.#shown) this.inQuestion.close(block);
    this.#shown.length = 0;
  }

  /** Entries that come in question, the latest first. */
  #since(r: number, recv: number): number[] {
    const requests = this.#requests;
    const posted = requests.postedAt(r);
    const since = recv === NONE ? posted : Math.max(posted, requests.postedAt(recv));
    const entries: number[] = [];
    for (let i = this.#count - 1; i >= 0 && i >= this.#count - KEPT; i--) {
      const entry = i & (KEPT - 1);
      if ((this.#times[entry] as number) < since) break;
      const e = entry << WORDS_LOG2;
      if (!this.#precedes(e, r)) entries.push(e);
    }
    return entries;
  }

  #covers(e: number, place: PagePlace): boolean {
    if (this.#words[e + PAGE] !== place.page) return false;
    const range = this.#words[e + RANGE] as number;
    return firstOf(range) <= place.offset && place.offset <= lastOf(range);
  }

  /** Whether an entry is of request `r` itself, or of one that is done before it. */
  #precedes(e: number, r: number): boolean {
    const requests = this.#requests;
    const later = ((this.#words[e + ORDER] as number) - requests.orderOf(r)) | 0;
    return (
      later === 0 || (later < 0 && isBefore(this.#words[e + QUEUE_PAIR] as number, queuePairOf(requests.words, r)))
    );
  }
}

/** Queue pair that a request was sent by, complemented for READs. */
function queuePairOf(words: Int32Array, request: number): number {
  const r = request & INDEX_BITS;
  const q = words[r + R_QP] as number;
  return (operationKind((words[r + R_STATE] as number) & OPCODE_MASK) & OP_READ) === 0 ? q : ~q;
}

/** Whether what the one queue pair sent earlier is done before what the other sends: on the same one, but for READs, which only READs wait for. */
function isBefore(earlier: number, later: number): boolean {
  return earlier === later || earlier === ~later ? earlier >= 0 || later < 0 : false;
}
