/** Data memory that software itself changed: from then on it must hold these bytes. */

import type { OracleState } from './oracleState.ts';
import { PAGE_BYTES } from './scoreboardMemory.ts';
import { SideCursor } from './sideCursor.ts';

export class HostWrites {
  readonly #s: OracleState;
  readonly #cursor = new SideCursor();

  constructor(state: OracleState) {
    this.#s = state;
  }

  /** Takes the present bytes of a virtual range as right, one record a page. */
  note(host: number, process: number, hi: number, lo: number, length: number): void {
    const { pages, verified, hashes } = this.#s;
    const c = this.#cursor;
    c.startRange(host, process, hi, lo, length);
    while (c.load()) {
      if (!c.located) c.locate(pages);
      const from = c.offset;
      const to = from + Math.min(c.left, PAGE_BYTES - from);
      verified.insertHash(c.entry, from, to, hashes.rehash(c.entry, from, to));
      c.advance(to - from);
    }
  }
}
