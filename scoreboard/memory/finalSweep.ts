/**
 * End-of-test pass over every stored data page: verified destinations still hold their bytes, and everything else
 * still holds the seeded bytes of before the first write. Never-stored pages cannot have changed.
 */

import type { ControlAreas } from './ranges/controlAreas.ts';
import { NO_PAGE } from './dataPages.ts';
import { hexBytes } from '../model/names.ts';
import { nearestOwner } from '../report/nearestOwner.ts';
import type { OracleState } from '../model/oracleState.ts';
import type { ScbId } from '../report/reportIds.ts';
import { SCB } from '../report/reportIds.ts';
import { PAGE_BYTES, PAGE_SHIFT } from './scoreboardMemory.ts';
import { FORGOTTEN, HASHED } from './verifiedRecord.ts';
import { hexAddress } from '../../uvm/report/hexTexts.ts';
import { bytesOfHost } from '../../rdma/subjectParts.ts';

const SHOWN = 16;
const PER_PAGE = PAGE_BYTES;

export class FinalSweep {
  readonly #s: OracleState;
  readonly #areas: ControlAreas;
  /** The page being swept: host, physical page, byte-store offset, seed key, entry. */
  #host = 0;
  #physHi = 0;
  #physPage = 0;
  #offset = 0;
  #key = 0;
  #entry: number = NO_PAGE;

  constructor(state: OracleState, areas: ControlAreas) {
    this.#s = state;
    this.#areas = areas;
  }

  /** Sweeps all hosts. */
  run(): void {
    const { memory, options } = this.#s;
    for (let host = 0; host < options.hosts; host++) {
      memory.forEachPage(host, (physHi, physPage, offset) => {
        this.#page(host, physHi, physPage, offset);
      });
    }
  }

  #page(host: number, physHi: number, physPage: number, offset: number): void {
    const { memory, pages } = this.#s;
    if (this.#areas.isControlPage(host, physHi, physPage)) return;
    memory.reverse(host, physHi, physPage << PAGE_SHIFT);
    if (memory.process < 0) return;
    const page = memory.virtLo >>> PAGE_SHIFT;
    this.#host = host;
    this.#physHi = physHi;
    this.#physPage = physPage;
    this.#offset = offset;
    this.#key = memory.pageKey(host, physHi, physPage) | 0;
    this.#entry = pages.find(host, memory.process, memory.virtHi, page);
    if (this.#entry === NO_PAGE) this.#untouched(0, PER_PAGE);
    else this.#walk();
  }

  /** Goes through gaps and records of a page that requests have used, in order. */
  #walk(): void {
    const { verified } = this.#s;
    const records = verified.load(this.#entry);
    let pos = 0;
    for (let i = 0; i < records; i++) {
      this.#closedPieces(pos, verified.from(i), -1);
      pos = verified.to(i);
      this.#closedPieces(verified.from(i), pos, i);
    }
    this.#closedPieces(pos, PER_PAGE, -1);
  }

  /** Judges those pieces of [from, to) that no outstanding request may write. `record` -1 = a gap. */
  #closedPieces(from: number, to: number, record: number): void {
    const { openRanges, verified } = this.#s;
    const page = this.#entry;
    if (record >= 0 && verified.source(record) === FORGOTTEN) return;
    if (record >= 0 && verified.source(record) === HASHED) {
      if (!openRanges.touches(page, from, to)) this.#hashed(from, to, record);
      return;
    }
    for (let pos = from; pos < to; ) {
      const next = openRanges.boundary(page, pos, to);
      if (!openRanges.touches(page, pos, next)) this.#piece(pos, next, record);
      pos = next;
    }
  }

  #piece(from: number, to: number, record: number): void {
    if (record < 0) this.#untouched(from, to);
    else this.#seeded(from, to, record);
  }

  #untouched(from: number, to: number): void {
    const { bytes } = this.#s;
    const at = this.#offset + from;
    if (bytes.equalSeeded(this.#key, from, at, to - from)) return;
    const bad = bytes.firstDifferenceSeeded(this.#key, from, at, to - from);
    this.#report(SCB.guard, from + bad, to, this.#key, from + bad, 'bytes that no request may write have changed');
  }

  /** Compares with the seeded bytes of the source. */
  #seeded(from: number, to: number, record: number): void {
    const { bytes, verified, pages } = this.#s;
    const source = verified.source(record);
    const key = pages.key(source);
    const sourceAt = verified.value(record) + from - verified.from(record);
    if (bytes.equalSeeded(key, sourceAt, this.#offset + from, to - from)) return;
    const bad = bytes.firstDifferenceSeeded(key, sourceAt, this.#offset + from, to - from);
    const origin = `data from host ${pages.host(source)} was right at its completion and has changed since`;
    this.#report(SCB.reverify, from + bad, to, key, sourceAt + bad, origin);
  }

  #hashed(from: number, to: number, record: number): void {
    const { verified, hashes } = this.#s;
    if (hashes.matches(verified.value(record), this.#entry, from, to)) return;
    const text = `${to - from} bytes were right at their completion and have changed since`;
    this.#report(SCB.reverify, from, to, 0, -1, text);
  }

  /** @param at first bad byte in the page; `expectedAt` its position in the seeded bytes of `key`, -1 = unknown. */
  #report(id: ScbId, at: number, end: number, key: number, expectedAt: number, what: string): void {
    const s = this.#s;
    const { bytes, reporter, scratch } = s;
    const n = Math.min(SHOWN, end - at);
    const lo = (this.#physPage << PAGE_SHIFT) | at;
    const { u8 } = bytes;
    const found = hexBytes(u8.slice(this.#offset + at, this.#offset + at + n));
    const text = (): string => {
      const owner = nearestOwner(s, this.#areas, this.#host, this.#physHi, lo, n);
      let expected = '';
      if (expectedAt >= 0) {
        bytes.fillSeeded(key, expectedAt, scratch, n);
        expected = `, expected ${hexBytes(bytes.u8.slice(scratch, scratch + n))}`;
      }
      return `host ${this.#host}: ${what}: from ${hexAddress(this.#physHi, lo)} on (${owner}), found ${found}${expected}`;
    };
    reporter.error(id, text, [bytesOfHost(this.#host, this.#physHi, lo, end - at)]);
  }
}
