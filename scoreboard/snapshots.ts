/**
 * Copies of inline data. The NIC takes inline data at posting, so that software may reuse the buffer at once. As long
 * as the source is seeded memory nobody wrote, no copy is needed.
 */

import { NOT_STORED } from './dataPages.ts';
import type { OracleState } from './oracleState.ts';
import { Q_HOST, Q_PROCESS } from './qps.ts';
import { R_NUM_SGE, R_QP, R_SGES, R_STATE, S_SNAPSHOT } from './requests.ts';
import { PAGE_BYTES } from './scoreboardMemory.ts';
import { SideCursor } from './sideCursor.ts';

/** Largest inline message that is copied; no NIC takes more. */
const SNAPSHOT_BYTES = 4096;

export class Snapshots {
  readonly #s: OracleState;
  readonly #cursor = new SideCursor();

  constructor(state: OracleState) {
    this.#s = state;
  }

  /** Copies the data of an inline request if a page of its source is stored. */
  take(r: number): void {
    const length = this.#s.requests.length(r);
    if (length === 0 || length > SNAPSHOT_BYTES || !this.#anyStored(r, length)) return;
    const s = this.#s;
    const at = s.freeSnapshots.pop() ?? s.bytes.alloc(SNAPSHOT_BYTES, 16);
    this.#walk(r, length, at);
    s.snapshots.set(r, at);
    s.requests.words[r + R_STATE] = (s.requests.words[r + R_STATE] as number) | S_SNAPSHOT;
  }

  #anyStored(r: number, length: number): boolean {
    return this.#walk(r, length, -1);
  }

  /** Copies to `to`, or with -1 only looks whether a source page is stored. */
  #walk(r: number, length: number, to: number): boolean {
    const { requests, qps, pages, bytes } = this.#s;
    const q = requests.words[r + R_QP] as number;
    const c = this.#cursor;
    const first = requests.words[r + R_SGES] as number;
    const count = requests.words[r + R_NUM_SGE] as number;
    c.startList(qps.words[q + Q_HOST] as number, qps.words[q + Q_PROCESS] as number, requests.sges.words, first, count);
    for (let done = 0; done < length && c.load(); ) {
      const n = Math.min(c.left, PAGE_BYTES - c.offset);
      if (!c.located) c.locate(pages);
      const stored = c.place !== NOT_STORED;
      if (to < 0 && stored) return true;
      if (to >= 0 && stored) bytes.copy(to + done, c.place + c.offset, n);
      if (to >= 0 && !stored) bytes.fillSeeded(pages.key(c.entry), c.offset, to + done, n);
      c.advance(n);
      done += n;
    }
    return false;
  }
}
