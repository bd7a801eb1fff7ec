/**
 * Bytes of memory that nobody has written are those of its physical address, and a kind of NIC has its data where it likes. So
 * that the same work moves the same bytes, regions are filled when they are registered: by the number of the region and the
 * offset in it. What lies in an earlier region as well keeps the bytes of that one.
 */

import { hash32 } from '../../uvm/random/hash.ts';
import type { Space } from './openRanges.ts';

/** Bytes that are filled in a run at most; with more, nobody compares bytes. */
const MOST_BYTES = 2 ** 26;
const PIECE_BYTES = 2 ** 16;
const LO_VALUES = 2 ** 32;

type Range = readonly [from: number, to: number];

export class KnownContents {
  /** Whether all regions are filled so far. */
  isComplete = true;
  readonly #filled = new Map<string, Range[]>();
  readonly #regions = new Map<string, number>();
  #bytes = 0;

  /**
   * A region is registered.
   * @param write writes bytes at a virtual address of its process: upper half and lower half in one number, 48 bits
   */
  fill(
    { host, process }: Space,
    hi: number,
    lo: number,
    length: number,
    write: (at: number, bytes: Uint8Array) => void,
  ): void {
    const place = `${host} ${process}`;
    const number = this.#regions.get(place) ?? 0;
    this.#regions.set(place, number + 1);
    this.#bytes += length;
    if (this.#bytes > MOST_BYTES) this.isComplete = false;
    if (!this.isComplete) return;
    const first = lo >>> 0;
    const start = (hi & 0xffff) * LO_VALUES + first;
    const filled = this.#filled.get(place) ?? [];
    const key = hash32(host, process, number);
    for (const [from, to] of without([start, start + length], filled))
      for (let at = from; at < to; at += PIECE_BYTES)
        write(first + at - start, contents(key, at - start, Math.min(PIECE_BYTES, to - at)));
    this.#filled.set(place, [...filled, [start, start + length]]);
  }
}

/** What is left of a range where others are taken out. */
function without(range: Range, others: readonly Range[]): readonly Range[] {
  let left: readonly Range[] = [range];
  for (const [from, to] of others)
    left = left.flatMap(([a, b]): Range[] => {
      if (to <= a || from >= b) return [[a, b]];
      return [[a, Math.min(b, from)] as const, [Math.max(a, to), b] as const].filter(([c, d]) => c < d);
    });
  return left;
}

function contents(key: number, offset: number, length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => hash32(key, offset + i, 0));
}
