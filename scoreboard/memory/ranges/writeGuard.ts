/**
 * Which bytes the NIC may write at any moment, and the check of every DMA write against it. Requests open ranges for
 * as long as they are outstanding; control areas are open until closed.
 */

import type { Message, AnyRequest } from '../../model/work.ts';
import { SGE_WORDS, hostOf, processOf } from '../../model/messages.ts';
import { A_HI, A_LO, A_OFFSET, A_RING, ANYWHERE, ControlAreas, NO_AREA } from './controlAreas.ts';
import { NO_PAGE } from '../dataPages.ts';
import type { OracleState } from '../../model/oracleState.ts';
import { SCB } from '../../report/reportIds.ts';
import type { OpenRanges } from './openRanges.ts';
import { NO_BLOCK } from './openRanges.ts';
import type { DmaWrite, ScoreboardMemory } from '../scoreboardMemory.ts';
import { PAGE_BYTES, PAGE_MASK, PAGE_SHIFT, pageCount, TOP_PAGE } from '../scoreboardMemory.ts';
import { nearestOwner } from '../../report/nearestOwner.ts';
import { WINDOW_PAGE_MASK } from './windows.ts';
import { widened } from '../../../uvm/bytes/widened.ts';
import { TWO_32 } from '../../../uvm/bytes/words.ts';
import { hexAddress } from '../../../uvm/report/hexTexts.ts';
import { aCompletionQueue, bytesOfHost } from '../../../rdma/subjectParts.ts';

// What is known of a stored page, found by its place in the store, so that pages written one after the other lie side
// by side: of a data page its window, its position in the window, and its name in `DataPages`; of a control page
// `CONTROL` and the number of its list. Of a control page with one area, which may be written, `AREA`, the number of
// its list, start and end of the area in the page in one word, the completion queue or 0, and the offset in the queue
// of the first byte of the page.
const STRIDE = 8;
const KIND = 0;
const DETAIL = 1;
const PAGE = 2;
const BOUNDS = 2;
const RING = 3;
const OFFSET = 4;
/** What a fresh array holds: windows count from 1. */
const UNKNOWN = 0;
/** Entry for pages that are not stored; no page lies at offset 0. */
const NOT_STORED = 0;
const CONTROL = -2;
const AREA = -3;
const END_SHIFT = 16;
/** Areas of more pages make all pages unknown instead of their own. */
const SMALL_AREA = 64;
/** Two work queues, a completion queue, and a share of the pages of ICM. */
const AREAS_OF_QUEUE_PAIR = 4;
/** A write of which nobody said where its bytes lie. */
const NOT_SAID = -1;

export class WriteGuard {
  readonly areas = new ControlAreas();
  readonly #s: OracleState;
  readonly #memory: ScoreboardMemory;
  readonly #open: OpenRanges;
  /** By page of the store. */
  #pages = new Int32Array(1024 * STRIDE);
  /** Highest position written in a window since the last completion there: what lies above is new data. */
  #marks = new Int32Array(64);
  /** See `ServiceCost`. */
  readonly #bytePs: number = 0;
  readonly #piecePs: number = 0;
  /** Some page is known. */
  #known = false;

  constructor(state: OracleState) {
    this.#s = state;
    this.#memory = state.memory;
    this.#open = state.openRanges;
    this.#bytePs = state.options.service.bytePs;
    this.#piecePs = state.options.service.piecePs;
    this.areas.reserve(state.options.queuePairs * AREAS_OF_QUEUE_PAIR);
  }

  /** Opens the scatter/gather list of a request, on the host of its queue pair. */
  openList(r: AnyRequest): void {
    const { requests } = this.#s;
    const { host, process } = r.owner;
    const words = requests.sges.words;
    const first = r.sges;
    r.localBlock = r.flat
      ? this.#range(host, process, words[first] as number, words[first + 1] as number, r.length, NO_BLOCK)
      : this.#list(host, process, words, first, first + r.numSge * SGE_WORDS);
  }

  /** Closes it; with `forget` its content counts as legally changed in an unknown way. */
  closeList(r: AnyRequest, forget: boolean): void {
    this.#close(r.localBlock, forget);
  }

  /** Opens bytes of a process beside those of requests. @returns the first block, for `closeBlock` */
  openRange(host: number, process: number, hi: number, lo: number, length: number): number {
    return this.#range(host, process, hi, lo, length, NO_BLOCK);
  }

  /** Opens `length` bytes at the remote address of a request. */
  openRemote(r: Message, length: number): void {
    const space = r.remoteSpace;
    const hi = r.remoteHi;
    const lo = r.remoteLo;
    r.remoteBlock = this.#range(hostOf(space), processOf(space), hi, lo, length, NO_BLOCK);
  }

  /** Closes them; `forget` as above. */
  closeRemote(r: Message, forget: boolean): void {
    this.#close(r.remoteBlock, forget);
  }

  /** Closes what a request opened from this block on; what it holds counts as legally changed in an unknown way. */
  closeBlock(block: number): void {
    this.#close(block, true);
  }

  /** To be called when control areas open or close in a range, since its pages may have changed sides. */
  areasChanged(host: number, hi: number, lo: number, length: number): void {
    if (!this.#known) return;
    const pages = pageCount(lo, length);
    if (pages > SMALL_AREA) {
      this.#pages.fill(UNKNOWN);
      this.#known = false;
      return;
    }
    let upper = hi;
    let page = lo >>> PAGE_SHIFT;
    for (let i = 0; i < pages; i++) {
      this.#pages[this.#entryOf(host, upper, page) + KIND] = UNKNOWN;
      if (page++ === TOP_PAGE) {
        page = 0;
        upper = (upper + 1) | 0;
      }
    }
  }

  /** Checks one write whose bytes are in memory. */
  write(host: number, w: DmaWrite): void {
    const { hi, lo, length, place } = w;
    if (w.interrupt === true || length > PAGE_BYTES - (lo & PAGE_MASK)) this.#unusual(host, w);
    else this.#piece(host, hi, lo, length, place);
  }

  #piece(host: number, hi: number, lo: number, length: number, place: number): void {
    const at = place === NOT_SAID ? this.#entryOf(host, hi, lo >>> PAGE_SHIFT) : this.#entryAt(place);
    const pages = this.#pages;
    let window = pages[at + KIND] as number;
    if (window === UNKNOWN || at === NOT_STORED) {
      this.#fill(at, host, hi, lo >>> PAGE_SHIFT);
      window = pages[at + KIND] as number;
    }
    if (window > 0) {
      const to = (lo & PAGE_MASK) + length;
      if (this.#s.atomics.any === true) this.#s.atomics.written(pages[at + PAGE] as number, lo & PAGE_MASK, to);
      if (this.#open.covers(pages[at + PAGE] as number, lo & PAGE_MASK, to))
        this.#useful(window, (pages[at + DETAIL] as number) + to, length);
      else this.#stray(host, hi, lo, length);
    } else if (window === AREA) this.#area(at, host, hi, lo, length);
    else if (window === CONTROL) this.#control(pages[at + DETAIL] as number, host, hi, lo, length);
    else this.#stray(host, hi, lo, length);
  }

  /** Data further on than any before is useful work; the same data again is not. */
  #useful(window: number, to: number, length: number): void {
    if (window >= this.#marks.length) this.#growMarks(window);
    const marks = this.#marks;
    if (to <= (marks[window] as number)) return;
    marks[window] = to;
    this.#s.service += length * this.#bytePs + this.#piecePs;
  }

  #growMarks(window: number): void {
    this.#marks = widened(this.#marks, window + 1);
  }

  /** The entry of a page. */
  #entryOf(host: number, hi: number, page: number): number {
    const place = this.#memory.page(host, hi, page);
    return place < 0 ? NOT_STORED : this.#entryAt(place);
  }

  /** The entry of the page at an offset of the store. */
  #entryAt(place: number): number {
    const at = (place >>> PAGE_SHIFT) * STRIDE;
    if (at >= this.#pages.length) this.#growPages(at);
    return at;
  }

  #growPages(at: number): void {
    this.#pages = widened(this.#pages, at + STRIDE);
  }

  /** Finds out what a page is. Data pages of which nothing was ever open are looked up each time. */
  #fill(at: number, host: number, hi: number, page: number): void {
    const c = this.#pages;
    this.#known = true;
    c[at + KIND] = CONTROL;
    const list = this.areas.listOf(host, hi, page);
    c[at + DETAIL] = list;
    if (list > 0) this.#fillArea(at, list, hi, page);
    if (list > 0 || this.areas.isControlPage(host, hi, page)) return;
    const { memory, pages } = this.#s;
    memory.reverse(host, hi, page << PAGE_SHIFT);
    if (memory.process < 0) return;
    const virtPage = memory.virtLo >>> PAGE_SHIFT;
    const entry = pages.find(host, memory.process, memory.virtHi, virtPage);
    c[at + KIND] = entry === NO_PAGE ? UNKNOWN : pages.window(entry);
    c[at + DETAIL] = (virtPage & WINDOW_PAGE_MASK) << PAGE_SHIFT;
    c[at + PAGE] = entry;
  }

  /** Keeps what a write to a page with a single area must be compared with. */
  #fillArea(at: number, list: number, hi: number, page: number): void {
    const { areas } = this;
    const area = areas.onlyArea(list);
    if (area === NO_AREA || areas.isReadOnly(area)) return;
    const w = areas.words;
    const start = (hi - (w[area + A_HI] as number)) * TWO_32 + page * PAGE_BYTES - ((w[area + A_LO] as number) >>> 0);
    const c = this.#pages;
    c[at + KIND] = AREA;
    c[at + BOUNDS] = Math.max(0, -start) | (Math.min(PAGE_BYTES, areas.length(area) - start) << END_SHIFT);
    c[at + RING] = w[area + A_RING] as number;
    c[at + OFFSET] = (w[area + A_OFFSET] as number) + start;
  }

  /** A write to a page with a single area. */
  #area(at: number, host: number, hi: number, lo: number, length: number): void {
    const c = this.#pages;
    const offset = lo & PAGE_MASK;
    const bounds = c[at + BOUNDS] as number;
    if (offset < (bounds & (2 * PAGE_BYTES - 1)) || offset + length > bounds >> END_SHIFT) {
      this.#control(c[at + DETAIL] as number, host, hi, lo, length);
      return;
    }
    const ring = c[at + RING] as number;
    if (ring > 0) this.#entry(ring, (c[at + OFFSET] as number) + offset, host, hi, lo, length);
  }

  /** A write outside data pages: must lie in one allowed area. */
  #control(list: number, host: number, hi: number, lo: number, length: number): void {
    const { areas } = this;
    const area = areas.areaIn(list, host, hi, lo, length);
    if (area === NO_AREA || areas.isReadOnly(area)) {
      this.#stray(host, hi, lo, length);
      return;
    }
    const w = areas.words;
    const ring = w[area + A_RING] as number;
    if (ring === 0) return;
    const start = (hi - (w[area + A_HI] as number)) * TWO_32 + (lo >>> 0) - ((w[area + A_LO] as number) >>> 0);
    this.#entry(ring, (w[area + A_OFFSET] as number) + start, host, hi, lo, length);
  }

  /** A write to a completion queue: whole entries, the next ones. */
  #entry(ring: number, offset: number, host: number, hi: number, lo: number, length: number): void {
    const { areas } = this;
    const entry = areas.ringEntry(ring);
    if (length === entry && offset === areas.ringNext(ring)) {
      areas.setRingNext(ring, offset + entry);
      return;
    }
    const next = areas.ringNext(ring);
    if (length === 0 || length % entry !== 0 || (next === ANYWHERE ? offset % entry !== 0 : offset !== next)) {
      this.#wrongEntry(ring, offset, host, hi, lo, length);
    }
    areas.setRingNext(ring, offset - (offset % entry) + Math.max(entry, length - (length % entry)));
  }

  #wrongEntry(ring: number, offset: number, host: number, hi: number, lo: number, length: number): void {
    const next = this.areas.ringNext(ring);
    const bytes = this.areas.ringBytes(ring);
    const entry = this.areas.ringEntry(ring);
    this.#s.reporter.error(
      SCB.cqeAddr,
      () =>
        `host ${host}: ${length} bytes written at ${hexAddress(hi, lo)}, offset ${offset} of ${cqName(this.areas.ringId(ring))}; ` +
        `expected whole entries of ${entry} bytes${next === ANYWHERE ? '' : ` at offset ${next} (slot ${next / entry} of ${bytes / entry})`}`,
      [bytesOfHost(host, hi, lo, length), aCompletionQueue(host, this.areas.ringId(ring))],
    );
  }

  #unusual(host: number, w: DmaWrite): void {
    if (w.interrupt) {
      const area = this.areas.areaOf(host, w.hi, w.lo, w.length);
      if (area === NO_AREA || this.areas.kind(area) !== 'msix') this.#stray(host, w.hi, w.lo, w.length);
      return;
    }
    for (let done = 0; done < w.length; ) {
      const lo = (w.lo + done) | 0;
      const hi = lo >>> 0 < w.lo >>> 0 ? (w.hi + 1) | 0 : w.hi;
      const n = Math.min(w.length - done, PAGE_BYTES - (lo & PAGE_MASK));
      this.#piece(host, hi, lo, n, NOT_SAID);
      done += n;
    }
  }

  #stray(host: number, hi: number, lo: number, length: number): void {
    const s = this.#s;
    s.reporter.error(
      SCB.strayWrite,
      () =>
        `host ${host}: ${length} bytes written at ${hexAddress(hi, lo)}; ${nearestOwner(s, this.areas, host, hi, lo, length)}`,
      [bytesOfHost(host, hi, lo, length)],
    );
  }

  /**
   * Opens the entries in [begin, end) of `words`, and returns the first block. Neighbouring entries often share a page,
   * found once.
   */
  #list(host: number, process: number, words: Int32Array, begin: number, end: number): number {
    const { pages } = this.#s;
    const open = this.#open;
    let first = NO_BLOCK;
    let last = NO_BLOCK;
    for (let at = begin; at < end; ) {
      const hi = words[at] as number;
      const lo = words[at + 1] as number;
      const length = words[at + 2] as number;
      // "<= 0": none, or 2^31.
      if (length <= 0 || length > PAGE_BYTES - (lo & PAGE_MASK)) {
        const opened = this.#range(host, process, hi, lo, length >>> 0, last);
        if (first === NO_BLOCK) first = opened;
        if (opened !== NO_BLOCK) last = open.last(opened);
        at += SGE_WORDS;
      } else {
        last = open.openEntries(pages.at(host, process, hi, lo >>> PAGE_SHIFT), words, at, end, last);
        if (first === NO_BLOCK) first = last;
        at += open.size(last) * SGE_WORDS;
      }
    }
    return first;
  }

  /** Opens a range page by page, for a request that opened `sibling` last. Returns the first block that it opens. */
  #range(host: number, process: number, hi: number, lo: number, length: number, sibling: number): number {
    const { pages } = this.#s;
    let first = NO_BLOCK;
    let block = sibling;
    let number = lo >>> PAGE_SHIFT;
    let upper = hi;
    let from = lo & PAGE_MASK;
    for (let left = length; left > 0; ) {
      const n = Math.min(left, PAGE_BYTES - from);
      block = this.#open.open(pages.at(host, process, upper, number), from, from + n, block);
      if (first === NO_BLOCK) first = block;
      left -= n;
      from = 0;
      if (number++ === TOP_PAGE) {
        number = 0;
        upper = (upper + 1) | 0;
      }
    }
    return first;
  }

  /** Closes a block and those that its request opened after it. What comes to their windows is new data again. */
  #close(first: number, forget: boolean): void {
    const open = this.#open;
    const { pages } = this.#s;
    for (let block = first; block !== NO_BLOCK; block = open.close(block)) {
      const window = pages.window(open.page(block));
      if (window < this.#marks.length) this.#marks[window] = 0;
      if (forget) this.#forget(block);
    }
  }

  #forget(block: number): void {
    const open = this.#open;
    const page = open.page(block);
    for (let i = 0; i < open.size(block); i++) this.#s.verified.forget(page, open.from(block, i), open.to(block, i));
  }
}

function cqName(id: number): string {
  return id < 0 ? 'a completion queue' : `CQ ${id}`;
}
