/** Blocks of the byte store for copies of data; those that are given back are kept by size. */

import type { Bytes } from './scoreboardMemory.ts';

const SMALLEST_LOG2 = 12;

export class SnapshotBlocks {
  readonly #bytes: Bytes;
  /** Free ones of 4 KiB, 8 KiB, ... */
  readonly #free: number[][] = [];

  constructor(bytes: Bytes) {
    this.#bytes = bytes;
  }

  /** Byte-store offset of a block with room for `length` bytes. */
  take(length: number): number {
    const size = sizeOf(length);
    return this.#free[size]?.pop() ?? this.#bytes.alloc(2 ** (SMALLEST_LOG2 + size), 16);
  }

  /** A block that was taken for `length` bytes is free again. */
  give(length: number, at: number): void {
    const size = sizeOf(length);
    this.#free[size] ??= [];
    this.#free[size].push(at);
  }
}

function sizeOf(length: number): number {
  return Math.max(0, 32 - Math.clz32(length - 1) - SMALLEST_LOG2);
}
