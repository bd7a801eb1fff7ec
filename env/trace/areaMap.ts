/** What an address of host memory holds, for the texts of transactions. Looked up only by close looks. */

import type { AreaItem } from '../../agents/verbs/memoryItems.ts';
import type { VerbsObserver } from '../../agents/verbs/verbsObserver.ts';
import type { EventLog } from './eventLog.ts';
import { AREA, TLP_WORD } from './eventWords.ts';

/** Where data of processes lie. */
export interface DataMap {
  readonly process: number;
  readonly virtHi: number;
  readonly virtLo: number;
  reverse(physHi: number, physLo: number): void;
  isData(physHi: number, physLo: number): boolean;
}

/** A range that was opened. */
interface Range {
  readonly kind: AreaItem['kind'];
  readonly qpn: number;
  readonly id: number;
  readonly start: number;
  readonly length: number;
  readonly offset: number;
}

const PAGE_SHIFT = 12;
const TWO_32 = 2 ** 32;

export class AreaMap implements VerbsObserver {
  /** By page; the one that was opened last first. */
  readonly #pages = new Map<number, Range[]>();
  readonly #data: DataMap;
  readonly #log: Pick<EventLog, 'looksClosely'>;

  /** @param log for which it is kept, as long as that looks closely */
  constructor(data: DataMap, log: Pick<EventLog, 'looksClosely'>) {
    this.#data = data;
    this.#log = log;
  }

  areaOpened(area: AreaItem): void {
    if (!this.#log.looksClosely) {
      this.#pages.clear();
      return;
    }
    const range = rangeOf(area);
    for (const page of pagesOf(range)) this.#pages.set(page, [range, ...(this.#pages.get(page) ?? [])]);
  }

  areaClosed(area: AreaItem): void {
    if (!this.#log.looksClosely) return;
    const { start, length } = rangeOf(area);
    for (const page of pagesOf({ start, length })) {
      const left = (this.#pages.get(page) ?? []).filter((r) => r.start !== start || r.length !== length);
      this.#pages.set(page, left);
    }
  }

  /** Whether bytes of processes lie there. */
  isData(hi: number, lo: number): boolean {
    return this.#rangeAt((hi >>> 0) * TWO_32 + (lo >>> 0)) === undefined && this.#data.isData(hi, lo);
  }

  #rangeAt(address: number): Range | undefined {
    const ranges = this.#pages.get(Math.floor(address / 2 ** PAGE_SHIFT)) ?? [];
    return ranges.find(({ start, length }) => address >= start && address < start + length);
  }

  /** Writes what an address holds into the words of a transaction. */
  put(w: Int32Array, at: number, hi: number, lo: number): void {
    const address = (hi >>> 0) * TWO_32 + (lo >>> 0);
    const range = this.#rangeAt(address);
    if (range !== undefined) {
      w[at + TLP_WORD.area] = AREA[range.kind];
      w[at + TLP_WORD.owner] = range.qpn >= 0 ? range.qpn : range.id;
      w[at + TLP_WORD.virtHi] = range.qpn;
      w[at + TLP_WORD.virtLo] = range.offset + (address - range.start);
    } else if (this.#data.isData(hi, lo)) {
      this.#data.reverse(hi, lo);
      w[at + TLP_WORD.area] = AREA.data;
      w[at + TLP_WORD.owner] = this.#data.process;
      w[at + TLP_WORD.virtHi] = this.#data.virtHi;
      w[at + TLP_WORD.virtLo] = this.#data.virtLo;
    } else w[at + TLP_WORD.area] = AREA.unknown;
  }
}

function rangeOf({ kind, qpn, id, hi, lo, length, offset }: AreaItem): Range {
  return { kind, qpn, id, start: (hi >>> 0) * TWO_32 + (lo >>> 0), length, offset };
}

function pagesOf({ start, length }: Pick<Range, 'start' | 'length'>): number[] {
  const first = Math.floor(start / 2 ** PAGE_SHIFT);
  const last = Math.floor((start + Math.max(length, 1) - 1) / 2 ** PAGE_SHIFT);
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}
