/**
 * Device memory of the card: pages that software takes by handle, the first run that fits, and accesses to them through the
 * aperture, by windows where it has some. A page stays with the process that has had it first, so that an address means the same for the whole of a run.
 */
import type { DeviceMemoryDriver } from '../../../env/providers/deviceMemoryDriver.ts';
import type { ProviderHost } from '../../../env/providers/provider.ts';
import type { VirtualAddress } from '../../../env/verbs/hostApi.ts';
import { HostApiError } from '../../../env/verbs/hostErrors.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import { carried, TWO_32 } from '../../../uvm/bytes/words.ts';
import { CARD_BAR, CARD_HI_MASK, PAGE_SHIFT } from '../layout/addressMap.ts';
import { type CardLayout, LARGE_PAGE_LOG } from '../layout/geometry.ts';
import { CardThread } from './apertureThread.ts';
import type { CardAddressMap } from './cardAddressMap.ts';
import { type CardPiece, WindowManager } from './windowManager.ts';

const PAGE_BYTES = 2 ** PAGE_SHIFT;
/** Bytes of an access: a write-combining buffer. */
const LINE = 64;

interface Piece {
  readonly first: number;
  readonly count: number;
}

export class CardMemory implements DeviceMemoryDriver {
  readonly #host: ProviderHost;
  readonly #map: CardAddressMap;
  /** By first page, in ascending order. */
  #pieces: Piece[] = [];
  /** Byte-store offsets of lines that nobody uses. */
  readonly #freeLines: number[] = [];
  readonly #layout: CardLayout;
  /** Null where the aperture has all bytes. */
  readonly #manager: WindowManager | null;

  constructor(host: ProviderHost, map: CardAddressMap, layout: CardLayout, manager = WindowManager) {
    this.#host = host;
    this.#map = map;
    this.#layout = layout;
    this.#manager = layout.windows === 0 ? null : new manager(host, layout);
  }

  get windows(): number {
    return this.#layout.windows;
  }

  get windowBytes(): number {
    return this.#layout.subWindowBytes;
  }

  get apertureBytes(): number {
    return this.#layout.apertureBytes;
  }

  get bytes(): number {
    return this.#layout.bytes;
  }

  get handleBytes(): number {
    return this.#layout.handleBytes;
  }

  get largeBytes(): number {
    return this.#layout.largeBytes;
  }

  /** Pieces that are not freed. */
  get inUse(): number {
    return this.#pieces.length;
  }

  alloc(process: number, length: number, pageLog: number): VirtualAddress {
    this.#checkPageLog(pageLog);
    const step = 2 ** (pageLog - PAGE_SHIFT);
    const whole = (pages: number): number => Math.ceil(pages / step) * step;
    const count = whole(length / PAGE_BYTES);
    const [start, end] = this.#map.handlePages(pageLog === LARGE_PAGE_LOG);
    let first = start;
    for (;;) {
      const inTheWay = this.#inTheWay(process, first, count);
      if (inTheWay < 0) break;
      first = whole(inTheWay);
    }
    if (first + count > end) {
      const left = `${(end - start) / step} pages of ${2 ** pageLog / 1024} KiB in all`;
      throw new HostApiError(
        'LIMIT',
        `host ${this.#host.host}`,
        `${length} bytes of device memory`,
        `use less: ${left}`,
        length,
      );
    }
    this.#pieces = [...this.#pieces, { first, count }].sort((a, b) => a.first - b.first);
    return this.#map.claim(process, first, count);
  }

  free(_process: number, hi: number, lo: number): void {
    const page = this.#map.handlePage(hi, lo);
    this.#pieces = this.#pieces.filter(({ first }) => first !== page);
  }

  /** Nothing is taken any more, and the NIC knows of nothing. */
  clear(): void {
    this.#pieces = [];
    this.#manager?.forget();
  }

  place(process: number, hi: number, lo: number): number {
    this.#map.translate(process, hi, lo);
    return (this.#map.physHi & CARD_HI_MASK) * TWO_32 + (this.#map.physLo >>> 0);
  }

  thread(): CardThread {
    return new CardThread(this.#host);
  }

  *write(process: number, hi: number, lo: number, data: Uint8Array, posted = () => {}): Proc<void> {
    if (this.#manager !== null) {
      yield* this.#manager.write([...this.#lines(process, hi, lo, data.length)], data);
      posted();
      return;
    }
    const { bytes, bus } = this.#host;
    const line = this.#freeLines.pop() ?? bytes.alloc(LINE, LINE);
    for (const { at, n, card } of this.#lines(process, hi, lo, data.length)) {
      bytes.u8.set(data.subarray(at, at + n), line);
      bus.memoryWrite(CARD_BAR.aperture, card, line, n);
    }
    this.#freeLines.push(line);
    posted();
    // A read of the last byte pushes what was posted before.
    yield* this.read(process, carried(hi, (lo >>> 0) + data.length - 1), (lo + data.length - 1) | 0, 1);
  }

  read(process: number, hi: number, lo: number, length: number): Proc<Uint8Array> {
    return this.#readPieces([...this.#lines(process, hi, lo, length)], length);
  }

  readCard(card: number, length: number): Proc<Uint8Array> {
    return this.#readPieces([{ card, at: 0, n: length }], length);
  }

  *isCalibrated(): Proc<boolean> {
    return (yield* this.thread().calibrated()) === 2 ** this.#layout.banks - 1;
  }

  *#readPieces(pieces: readonly CardPiece[], length: number): Proc<Uint8Array> {
    const found = new Uint8Array(length);
    if (this.#manager !== null) {
      yield* this.#manager.read(pieces, found);
      return found;
    }
    const { bytes, bus } = this.#host;
    // Other processes read meanwhile.
    const line = this.#freeLines.pop() ?? bytes.alloc(LINE, LINE);
    for (const { at, n, card } of pieces) {
      yield* bus.memoryRead(CARD_BAR.aperture, card, line, n);
      found.set(bytes.u8.subarray(line, line + n), at);
    }
    this.#freeLines.push(line);
    return found;
  }

  /** Accesses that a range takes: none crosses a line of 64 bytes. */
  *#lines(process: number, hi: number, lo: number, length: number): Generator<CardPiece> {
    for (let at = 0; at < length; ) {
      const low = (lo >>> 0) + at;
      const n = Math.min(length - at, LINE - (low % LINE));
      yield { at, n, card: this.place(process, carried(hi, low), low | 0) };
      at += n;
    }
  }

  #checkPageLog(pageLog: number): void {
    if (pageLog === PAGE_SHIFT || pageLog === LARGE_PAGE_LOG) return;
    const what = `device memory in pages of 2^${pageLog} bytes`;
    const advice = `use ${PAGE_SHIFT} or ${LARGE_PAGE_LOG}`;
    throw new HostApiError('ATTRIBUTE', `host ${this.#host.host}`, what, advice, pageLog);
  }

  /** Page from which on there may be room where [first, first + count) has none for this process; -1 where it has. */
  #inTheWay(process: number, first: number, count: number): number {
    const taken = this.#pieces.find((piece) => piece.first < first + count && first < piece.first + piece.count);
    if (taken !== undefined) return taken.first + taken.count;
    for (let page = first; page < first + count; page++) {
      const owner = this.#map.claimedBy(page);
      if (owner !== 0 && owner !== process) return page + 1;
    }
    return -1;
  }
}
