/**
 * Data memory that software itself changes: from then on it must hold these bytes. Whether a WRITE that is not judged yet
 * had brought others is open.
 */

import type { OracleState } from '../model/oracleState.ts';
import { PAGE_BYTES } from './scoreboardMemory.ts';
import { BufferCursor } from './bufferCursor.ts';
import type { Snapshots } from './snapshots.ts';

export class HostWrites {
  readonly #s: OracleState;
  readonly #snapshots: Snapshots;
  readonly #cursor = new BufferCursor();

  constructor(state: OracleState, snapshots: Snapshots) {
    this.#s = state;
    this.#snapshots = snapshots;
  }

  /** Software is about to change a virtual range. */
  begin(host: number, process: number, hi: number, lo: number, length: number): void {
    this.#snapshots.keep(host, process, hi, lo, length);
  }

  /** Takes the present bytes of a virtual range as right, one record a page. */
  note(host: number, process: number, hi: number, lo: number, length: number): void {
    const { pages, verified, hashes, closedRanges, atomics } = this.#s;
    const c = this.#cursor;
    c.startRange(host, process, hi, lo, length);
    while (c.load()) {
      if (!c.located) c.locate(pages);
      const from = c.offset;
      const to = from + Math.min(c.left, PAGE_BYTES - from);
      verified.insertHash(c.entry, from, to, hashes.rehash(c.entry, from, to));
      closedRanges.written(c.entry, from, to);
      if (atomics.any) atomics.hostWritten(c.entry, from, to);
      c.advance(to - from);
    }
  }
}
