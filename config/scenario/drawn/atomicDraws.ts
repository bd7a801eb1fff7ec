/**
 * Which RC requests of a random scenario are atomics, and what those are: `+ATOMIC_PCT` of its READs and of its WRITEs without
 * immediate. The words belong to the first queue pair of each process, and all peers of that process share them.
 */
import { WR_OPCODE } from '../../../rdma/verbs.ts';
import { PAGE_BYTES } from '../../../uvm/bytes/byteStore.ts';
import type { CounterDraws } from './counterDraws.ts';
import type { PlannedRequest } from '../workPlan.ts';

/** Bytes of a word. */
export const WORD_BYTES = 8;
/** Words of a process: few, so that atomics of several queue pairs meet. */
const WORDS = 4;
/** Bytes of all of them, which are registered together. */
export const ALL_WORDS = WORDS * WORD_BYTES;

/** Shares in percent. */
const ADDS = 60;
const USUAL = 70;

/** Halves of operands that carry, wrap, change nothing and meet again. */
const ADDENDS = [
  [0, 1],
  [0, 1],
  [0, 0],
  [-1, -1],
  [0, -1],
  [1, 1],
  [0x8000_0000 | 0, 0],
] as const;
const VALUES = [
  [0, 0],
  [0, 1],
  [0, 2],
  [-1, 0],
] as const;

/** Where the words lie in the receive area of their queue pair: behind everything that requests use. */
export function wordsOffset(areaBytes: number): number {
  return Math.ceil(areaBytes / PAGE_BYTES) * PAGE_BYTES;
}

/** Bytes of an area with the words behind it. */
export function withWords(areaBytes: number): number {
  return wordsOffset(areaBytes) + PAGE_BYTES;
}

export function isAtomic(opcode: number): boolean {
  return opcode === WR_OPCODE.atomicCmpAndSwp || opcode === WR_OPCODE.atomicFetchAndAdd;
}

/** Draws operation and operands. @returns the offset of the word among all of them */
export function drawAtomic(draws: CounterDraws, request: PlannedRequest): number {
  const adds = draws.percent(ADDS);
  request.opcode = adds ? WR_OPCODE.atomicFetchAndAdd : WR_OPCODE.atomicCmpAndSwp;
  const [compareHi, compareLo] = drawHalves(draws, adds ? ADDENDS : VALUES);
  const [swapHi, swapLo] = adds ? [0, 0] : drawHalves(draws, VALUES);
  Object.assign(request, { compareHi, compareLo, swapHi, swapLo });
  return draws.below(WORDS) * WORD_BYTES;
}

function drawHalves(
  draws: CounterDraws,
  usual: readonly (readonly [hi: number, lo: number])[],
): readonly [hi: number, lo: number] {
  if (draws.percent(USUAL)) return usual[draws.below(usual.length)] as readonly [number, number];
  return [draws.uint32() | 0, draws.uint32() | 0];
}
