/** Data memory that software itself changed: from then on it must hold these bytes. */

import type { OracleState } from './oracleState.ts';
import { PAGE_BYTES, PAGE_MASK, PAGE_SHIFT } from './scoreboardMemory.ts';
import { SideCursor } from './sideCursor.ts';
import { HASHED } from './verifiedMap.ts';
import { WINDOW_PAGE_MASK } from './windows.ts';

export class HostWrites {
  readonly #s: OracleState;
  readonly #cursor = new SideCursor();

  constructor(state: OracleState) {
    this.#s = state;
  }

  /** Takes the present bytes of a virtual range as right, one record a page. */
  note(host: number, process: number, hi: number, lo: number, length: number): void {
    const { windows, verified, hashes } = this.#s;
    const c = this.#cursor;
    c.startRange(host, process, hi, lo, length);
    while (c.load()) {
      const window = windows.open(host, process, c.hi, c.page);
      const pos = ((c.page & WINDOW_PAGE_MASK) << PAGE_SHIFT) | c.offset;
      const n = Math.min(c.left, PAGE_BYTES - (pos & PAGE_MASK));
      verified.insert(window, pos, pos + n, HASHED, hashes.rehash(window, pos, pos + n));
      c.advance(n);
    }
  }
}
