/** Compares the payload of a packet with the memory of the host that sends it. */

import { type Message, NO_RECEIVE } from '../model/work.ts';
import { NOT_STORED } from './dataPages.ts';
import type { OracleState } from '../model/oracleState.ts';
import { PAGE_BYTES } from './scoreboardMemory.ts';
import { BufferCursor } from './bufferCursor.ts';

/** Bytes that a message shows. */
const SHOWN = 8;

export class SentBytes {
  /** Where the bytes come from; to be set up before `firstDifference`. */
  readonly source = new BufferCursor();
  readonly #s: OracleState;

  constructor(state: OracleState) {
    this.#s = state;
  }

  /**
   * Position of the first byte that differs, at which the source stands then; `length` where there is none, or where it is
   * not known what was to be sent.
   * @param payload byte-store offset
   * @param r the request that sends them, since whose posting its source must not have changed; `NONE` for the answer to
   *   a READ: what pages that have been written held when it was read is not known
   */
  firstDifference(payload: number, length: number, r: Message): number {
    const { source } = this;
    const { pages } = this.#s;
    for (let at = 0; at < length && source.load(); ) {
      if (!source.located) source.locate(pages);
      const n = Math.min(length - at, source.left, PAGE_BYTES - source.offset);
      const differs = this.#difference(payload + at, n, r);
      source.advance(differs < 0 ? n : differs);
      if (differs >= 0) return this.#mayHaveChanged(r) ? length : at + differs;
      at += n;
    }
    return length;
  }

  /** For messages, of the difference that was found at byte `at` of a payload: the first bytes that are sent, and that are held. */
  shown(payload: number, at: number, length: number): { sent: Uint8Array; held: Uint8Array } {
    const { bytes, pages, scratch } = this.#s;
    const { place, entry, offset, left } = this.source;
    const n = Math.min(SHOWN, length - at, left, PAGE_BYTES - offset);
    if (place === NOT_STORED) bytes.fillSeeded(pages.key(entry), offset, scratch, n);
    else bytes.copy(scratch, place + offset, n);
    const { u8 } = bytes;
    return { sent: u8.slice(payload + at, payload + at + n), held: u8.slice(scratch, scratch + n) };
  }

  /** Of the next `n` bytes, -1 where there is none. */
  #difference(payload: number, n: number, r: Message): number {
    const { bytes, pages } = this.#s;
    const { place, entry, offset } = this.source;
    if (place === NOT_STORED) {
      const key = pages.key(entry);
      return bytes.equalSeeded(key, offset, payload, n) ? -1 : bytes.firstDifferenceSeeded(key, offset, payload, n);
    }
    if (!r.exists || bytes.equal(place + offset, payload, n)) return -1;
    return bytes.firstDifference(place + offset, payload, n);
  }

  /** Whether the byte at which the source stands may be another than when it was fetched. */
  #mayHaveChanged(r: Message): boolean {
    const { source } = this;
    if (source.isSnapshot || source.place === NOT_STORED) return false;
    const { openRanges, closedRanges } = this.#s;
    const { entry: page, offset } = source;
    return openRanges.touches(page, offset, offset + 1) || closedRanges.holds(r, NO_RECEIVE, [{ page, offset }]);
  }
}
