/**
 * Addresses of a host with memory on its card. What lies in host memory is where HanGu has it. An area of a queue pair on the
 * card has 4 GiB of virtual addresses as others have; its first bytes are on the card, and what goes beyond them is in host
 * memory. Pages of the card are spread over all banks by a seeded bijection, or follow each other: handles then lie across
 * the end of the first bank. Handles in large pages have the last bytes of a card that has such; each lies together, wherever it is.
 *
 * Who owns an area or a page of a handle is settled by software once, before anybody knows its address, and then stays: a
 * virtual address means the same for the whole of a run.
 */
import { CARD_AREA, CARD_HI_MASK, DOMAIN_BIT_HI, PAGE_SHIFT } from '../layout/addressMap.ts';
import { type CardLayout, LARGE_PAGE_LOG } from '../layout/geometry.ts';
import { HanguAddressMap } from '../../hangu/driver/index.ts';
import type { AddressLayout, AddressMap, MapMode } from '../../../env/memory/addressMap.ts';
import { permute, unpermute } from '../../../env/memory/pagePermutation.ts';
import { TWO_32 } from '../../../uvm/bytes/words.ts';

const PAGE_BYTES = 2 ** PAGE_SHIFT;
const IN_PAGE = PAGE_BYTES - 1;
const PROCESS_MASK = 0x7ff;
/** Pages of a large page. */
const IN_LARGE_BITS = LARGE_PAGE_LOG - PAGE_SHIFT;
const IN_LARGE = 2 ** IN_LARGE_BITS;

/** Of all pages: how far those that follow each other are from where they are named. */
const TURN = 3 / 8;

/** A run of pages of one process. */
interface Extent {
  readonly process: number;
  readonly first: number;
  readonly count: number;
}

export class CardAddressMap implements AddressMap {
  physHi = 0;
  physLo = 0;
  process = 0;
  virtHi = 0;
  virtLo = 0;

  readonly #base: HanguAddressMap;
  readonly #key: number;
  readonly #scattered: boolean;
  #layout: CardLayout | null = null;
  /** What the bridge of the host adds to the upper half of addresses of host memory. */
  #inboundHi = 0;
  /** log2 of the pages on the card; and the first one of those that lie in large pages. */
  #bits = 0;
  #firstLarge = 0;
  /** By area: process that it belongs to. */
  readonly #areas: number[] = [];
  /** By name of queue pair and side: its area. */
  readonly #areaOf = new Map<string, number>();
  /** Pages that handles have had, by their first one. */
  readonly #extents: Extent[] = [];

  constructor(key: number, mode: MapMode) {
    this.#base = new HanguAddressMap(key, mode);
    this.#key = key | 0;
    this.#scattered = mode === 'scattered';
  }

  /** Called by the software of the card before anything else. */
  configure(layout: CardLayout, inboundHi: number): void {
    this.#inboundHi = inboundHi;
    this.#layout = layout;
    this.#bits = Math.log2(layout.bytes / PAGE_BYTES);
    this.#firstLarge = (layout.bytes - layout.largeBytes) / PAGE_BYTES;
  }

  /**
   * The area on the card of one side of a queue pair: the same one whenever it is asked for.
   * @returns upper half of its addresses; undefined when there is none left
   */
  areaFor(process: number, qpn: number, receive: boolean): number | undefined {
    const name = `${process} ${qpn} ${receive}`;
    const known = this.#areaOf.get(name);
    if (known !== undefined) return hiOf(known);
    const area = this.#areas.length;
    if (area >= Math.min(this.#card.areas, CARD_AREA.areas)) return undefined;
    this.#areas.push(process);
    this.#areaOf.set(name, area);
    return hiOf(area);
  }

  busHi(physHi: number): number {
    return (physHi & DOMAIN_BIT_HI) === 0 ? physHi + this.#inboundHi : physHi;
  }

  /** First page that areas leave to handles, and the one behind the last. @param large of those in large pages */
  handlePages(large: boolean): readonly [first: number, end: number] {
    const { areas, areaBytes, bytes } = this.#card;
    return large ? [this.#firstLarge, bytes / PAGE_BYTES] : [(areas * areaBytes) / PAGE_BYTES, this.#firstLarge];
  }

  /** Whether an address is one of a handle in large pages. */
  isLarge(hi: number, lo: number): boolean {
    const isOfHandle = (hi & (CARD_AREA.mask | CARD_AREA.handles)) === (CARD_AREA.hi | CARD_AREA.handles);
    return isOfHandle && this.handlePage(hi, lo) >= this.#firstLarge;
  }

  /** Pages [first, first + count) are a handle's of this process, now and later. @returns address of the first byte */
  claim(process: number, first: number, count: number): { readonly hi: number; readonly lo: number } {
    if (!this.#extents.some((e) => e.first === first && e.count >= count))
      this.#extents.push({ process, first, count });
    const at = first * PAGE_BYTES;
    return { hi: CARD_AREA.hi | CARD_AREA.handles | Math.floor(at / TWO_32), lo: at | 0 };
  }

  /** The page that an address of a handle lies in. */
  handlePage(hi: number, lo: number): number {
    return Math.floor(((hi & CARD_HI_MASK) * TWO_32 + (lo >>> 0)) / PAGE_BYTES);
  }

  /** Process whose handles have had a page; 0 = none. */
  claimedBy(page: number): number {
    return this.#extents.find(({ first, count }) => page >= first && page < first + count)?.process ?? 0;
  }

  translate(process: number, hi: number, lo: number): void {
    if ((hi & CARD_AREA.mask) !== CARD_AREA.hi) {
      this.#base.translate(process, hi, lo);
      this.physHi = this.#base.physHi;
      this.physLo = this.#base.physLo;
      return;
    }
    const at = this.#byteOf(process, hi, lo);
    if (at < 0) {
      this.physHi = (hi & 0xffff) | (process << 16);
      this.physLo = lo | 0;
      return;
    }
    const page = Math.floor(at / PAGE_BYTES);
    const placed = (this.#scattered ? this.#scatter(page) : this.#turned(page, TURN)) * PAGE_BYTES;
    this.physHi = DOMAIN_BIT_HI | Math.floor(placed / TWO_32);
    this.physLo = placed | (lo & IN_PAGE) | 0;
  }

  reverse(physHi: number, physLo: number): void {
    if ((physHi & DOMAIN_BIT_HI) === 0) {
      if ((physHi & CARD_AREA.mask) === CARD_AREA.hi) this.#reverseBeyond(physHi, physLo);
      else {
        this.#base.reverse(physHi, physLo);
        this.process = this.#base.process;
        this.virtHi = this.#base.virtHi;
        this.virtLo = this.#base.virtLo;
      }
      return;
    }
    const placed = (physHi & CARD_HI_MASK) * (TWO_32 / PAGE_BYTES) + (physLo >>> PAGE_SHIFT);
    const page = this.#scattered ? this.#gather(placed) : this.#turned(placed, 1 - TURN);
    const at = page * PAGE_BYTES;
    const { areas, areaBytes } = this.#card;
    const area = Math.floor(at / areaBytes);
    if (area < areas) {
      this.process = this.#areas[area] ?? 0;
      this.virtHi = hiOf(area);
      this.virtLo = (at - area * areaBytes) | (physLo & IN_PAGE) | 0;
    } else {
      this.process = this.claimedBy(page);
      this.virtHi = CARD_AREA.hi | CARD_AREA.handles | Math.floor(at / TWO_32);
      this.virtLo = at | 0 | (physLo & IN_PAGE);
    }
  }

  isData(physHi: number, physLo: number): boolean {
    if ((physHi & DOMAIN_BIT_HI) === 0) return this.#isBeyond(physHi) || this.#base.isData(physHi);
    if (!this.#exists(physHi, physLo)) return false;
    this.reverse(physHi, physLo);
    return this.process !== 0;
  }

  /** Where a page lies that is scattered: large pages as they are, all others among each other, then both by blocks of a large page. */
  #scatter(page: number): number {
    if (this.#card.largeBytes === 0) return permute(page, this.#bits, this.#key);
    let at = page;
    if (page < this.#firstLarge)
      do at = permute(at, this.#bits, this.#key);
      while (at >= this.#firstLarge);
    return permute(at >> IN_LARGE_BITS, this.#bits - IN_LARGE_BITS, this.#blockKey) * IN_LARGE + (at % IN_LARGE);
  }

  /** What undoes `#scatter`. */
  #gather(placed: number): number {
    if (this.#card.largeBytes === 0) return unpermute(placed, this.#bits, this.#key);
    const block = unpermute(placed >> IN_LARGE_BITS, this.#bits - IN_LARGE_BITS, this.#blockKey);
    let at = block * IN_LARGE + (placed % IN_LARGE);
    if (at < this.#firstLarge)
      do at = unpermute(at, this.#bits, this.#key);
      while (at >= this.#firstLarge);
    return at;
  }

  get #blockKey(): number {
    return ~this.#key;
  }

  /** The page so many parts of the card behind another one. */
  #turned(page: number, part: number): number {
    const pages = 2 ** this.#bits;
    return (page + pages * part) % pages;
  }

  get #card(): CardLayout {
    if (this.#layout === null) throw new Error('the address map of a card has not been configured');
    return this.#layout;
  }

  /** Which byte of the card an address is, before pages are spread; -1 for one that lies in host memory. */
  #byteOf(process: number, hi: number, lo: number): number {
    const { areaBytes } = this.#card;
    if ((hi & CARD_AREA.handles) !== 0) {
      const at = (hi & CARD_HI_MASK) * TWO_32 + (lo >>> 0);
      return this.claimedBy(Math.floor(at / PAGE_BYTES)) === process ? at : -1;
    }
    const area = (hi & CARD_AREA.indexMask) >> 1;
    if ((hi & 1) !== 0 || lo >>> 0 >= areaBytes || this.#areas[area] !== process) return -1;
    return area * areaBytes + (lo >>> 0);
  }

  #exists(physHi: number, physLo: number): boolean {
    return (physHi & CARD_HI_MASK) * TWO_32 + (physLo >>> 0) < this.#card.bytes;
  }

  /** An address in host memory of an area whose first bytes are on the card. */
  #isBeyond(physHi: number): boolean {
    return (physHi & CARD_AREA.mask) === CARD_AREA.hi && physHi >>> 16 !== 0;
  }

  #reverseBeyond(physHi: number, physLo: number): void {
    this.process = (physHi >>> 16) & PROCESS_MASK;
    this.virtHi = physHi & 0xffff;
    this.virtLo = physLo | 0;
  }
}

/** Areas have two upper halves each: what passes the end of the first lies in the second, and in no other area. */
function hiOf(area: number): number {
  return CARD_AREA.hi | (area << 1);
}

export const CARD_LAYOUT: AddressLayout = { map: (key, mode) => new CardAddressMap(key, mode) };
