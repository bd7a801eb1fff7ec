/** A bitmap of 128 PSNs as reports carry it (blue-rdma.md section 10.1). */
import { WINDOW_BACK, WINDOW_BITS } from '../../layout/limits.ts';
import { psnAfter, psnDistance } from './psn.ts';
import type { PsnSet } from './psnSet.ts';

export const WINDOW_WORDS = WINDOW_BITS / 32;

export class WindowBits {
  /** Lowest bits first. */
  readonly words = new Int32Array(WINDOW_WORDS);
  /** PSN of bit 0. */
  first = 0;

  /** @param psnOfStride first PSN of the newest stride, which is what reports name */
  place(psnOfStride: number): void {
    this.first = psnAfter(psnOfStride, -WINDOW_BACK);
  }

  /** True when a PSN is in the window and its bit is set. */
  has(psn: number): boolean {
    const bit = psnDistance(this.first, psn);
    if (bit < 0 || bit >= WINDOW_BITS) return false;
    return ((this.words[bit >> 5] as number) & (1 << (bit & 31))) !== 0;
  }

  /** Adds the PSNs whose bits are set and that are before `end`. */
  addTo(set: PsnSet, end: number): void {
    for (let i = 0; i < WINDOW_BITS; i++) {
      if (((this.words[i >> 5] as number) & (1 << (i & 31))) === 0) continue;
      const psn = psnAfter(this.first, i);
      if (psnDistance(psn, end) > 0) set.add(psn);
    }
  }
}
