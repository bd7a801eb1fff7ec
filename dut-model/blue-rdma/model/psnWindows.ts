/**
 * Bitmaps of the receive queues (blue-rdma.md section 10.1): 128 bits each, kept as eight strides of 16 PSNs, the newest
 * last. Bit i is the PSN (left bound << 4) - 112 + i.
 */
import { STRIDE, STRIDE_SHIFT, WINDOW_BITS } from '../layout/limits.ts';

const STRIDES = WINDOW_BITS / STRIDE;
const FULL = 0xffff;
/** Left bounds are strides of the PSN space: 20 bits. */
const BOUND_MASK = 0xf_ffff;
const BOUND_SIGN = 32 - 20;

/** What a packet did to its window. */
export const WINDOW_STEP = {
  /** It is behind the window. */
  behind: 0,
  /** Its bit was set already. */
  again: 1,
  marked: 2,
  /** The window moved on, over ones only. */
  slid: 3,
  /** The window moved on over a zero: something is lost. */
  lost: 4,
} as const;

export class PsnWindows {
  /** The window before the last step, lowest bits first, and its first PSN of the newest stride. */
  readonly before = new Int32Array(WINDOW_BITS / 32);
  psnBefore = 0;

  readonly #bits: Uint16Array;
  readonly #left: Int32Array;

  constructor(entries: number) {
    this.#bits = new Uint16Array(entries * STRIDES);
    this.#left = new Int32Array(entries);
  }

  /** The next PSN of a queue pair is to be `psn`, a multiple of 16: all before it counts as received. */
  reset(index: number, psn: number): void {
    this.#left[index] = ((psn >>> STRIDE_SHIFT) - 1) & BOUND_MASK;
    this.#bits.fill(FULL, index * STRIDES, (index + 1) * STRIDES);
  }

  /** First PSN of the newest stride. */
  psnNow(index: number): number {
    return (this.#left[index] as number) << STRIDE_SHIFT;
  }

  /** Word 0 .. 3 of a window, lowest bits first. */
  word(index: number, n: number): number {
    const at = index * STRIDES + 2 * n;
    return (this.#bits[at] as number) | ((this.#bits[at + 1] as number) << 16);
  }

  /** A packet was accepted. @returns `WINDOW_STEP` */
  accept(index: number, psn: number): number {
    const left = this.#left[index] as number;
    const delta = (((psn >>> STRIDE_SHIFT) - left) << BOUND_SIGN) >> BOUND_SIGN;
    const bit = 1 << (psn & (STRIDE - 1));
    if (delta <= -STRIDES) return WINDOW_STEP.behind;
    if (delta <= 0) return this.#mark(index * STRIDES + STRIDES - 1 + delta, bit);
    this.#keep(index, left);
    const lost = this.slide(index, delta);
    this.#left[index] = (left + delta) & BOUND_MASK;
    this.#mark(index * STRIDES + STRIDES - 1, bit);
    return lost ? WINDOW_STEP.lost : WINDOW_STEP.slid;
  }

  /** Moves a window on by `delta` strides. @returns true when a zero has left it. Overridable for planting. */
  protected slide(index: number, delta: number): boolean {
    const bits = this.#bits;
    const at = index * STRIDES;
    const leaving = Math.min(delta, STRIDES);
    let lost = delta > STRIDES;
    for (let s = 0; s < leaving; s++) if (bits[at + s] !== FULL) lost = true;
    this.shift(index, leaving);
    return lost;
  }

  /** Shifts zeros in from the newest end. */
  protected shift(index: number, strides: number): void {
    const at = index * STRIDES;
    this.#bits.copyWithin(at, at + strides, at + STRIDES);
    this.#bits.fill(0, at + STRIDES - strides, at + STRIDES);
  }

  #mark(at: number, bit: number): number {
    const bits = this.#bits[at] as number;
    this.#bits[at] = bits | bit;
    return (bits & bit) === 0 ? WINDOW_STEP.marked : WINDOW_STEP.again;
  }

  #keep(index: number, left: number): void {
    for (let n = 0; n < this.before.length; n++) this.before[n] = this.word(index, n);
    this.psnBefore = left << STRIDE_SHIFT;
  }
}
