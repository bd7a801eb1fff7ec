/**
 * The six arbitration modes of a sequencer (1800.2 15.3.2.4, F.3.1.3).
 *
 * Each picks one of the candidates, which are indices into the queue in the order of request.
 */
import type { FastStream } from '../random/randomStream.ts';
import type { Request } from './request.ts';

/** @public */
export const ARBITRATION = {
  /** In the order of request; priorities do not count. The default. */
  fifo: 'UVM_SEQ_ARB_FIFO',
  /** At random, weighted by priority. */
  weighted: 'UVM_SEQ_ARB_WEIGHTED',
  /** At random, all alike. */
  random: 'UVM_SEQ_ARB_RANDOM',
  /** Highest priority first, then in the order of request. */
  strictFifo: 'UVM_SEQ_ARB_STRICT_FIFO',
  /** Highest priority first, then at random. */
  strictRandom: 'UVM_SEQ_ARB_STRICT_RANDOM',
  /** By `userPriorityArbitration` of the sequencer. */
  user: 'UVM_SEQ_ARB_USER',
} as const;
/** @public */
export type Arbitration = (typeof ARBITRATION)[keyof typeof ARBITRATION];

/** Index into the queue of the request to grant; `candidates` is not empty. USER is the sequencer's own affair. */
export function choose(
  mode: Arbitration,
  queue: readonly Request[],
  candidates: readonly number[],
  random: FastStream,
): number {
  switch (mode) {
    case ARBITRATION.weighted:
      return weighted(queue, candidates, random);
    case ARBITRATION.random:
      return candidates[random.below(candidates.length)] as number;
    case ARBITRATION.strictFifo:
      return highest(queue, candidates)[0] as number;
    case ARBITRATION.strictRandom: {
      const best = highest(queue, candidates);
      return best[random.below(best.length)] as number;
    }
    case ARBITRATION.fifo:
    case ARBITRATION.user:
      return candidates[0] as number;
  }
}

function weighted(queue: readonly Request[], candidates: readonly number[], random: FastStream): number {
  let sum = 0;
  for (const i of candidates) sum += (queue[i] as Request).priority;
  if (sum < 1) return candidates[0] as number;
  let draw = random.below(sum);
  for (const i of candidates) {
    draw -= (queue[i] as Request).priority;
    if (draw < 0) return i;
  }
  return candidates[0] as number;
}

function highest(queue: readonly Request[], candidates: readonly number[]): number[] {
  let best = Number.NEGATIVE_INFINITY;
  for (const i of candidates) best = Math.max(best, (queue[i] as Request).priority);
  return candidates.filter((i) => (queue[i] as Request).priority === best);
}
