/** What a measurement has seen, and the figures that perftest makes of it. */
import type { SimTime } from '../../uvm/kernel/scheduler.ts';

/** More samples than these have no peak: it is looked for among all pairs of them. */
const MOST_FOR_PEAK = 20_000;

/** Messages in one direction: when each was posted, and when each was completed, ps, in any order. */
export class Stream {
  readonly posted: SimTime[] = [];
  readonly completed: SimTime[] = [];
}

/** Of a direction, ps. */
export interface StreamFigures {
  /** From the first post to the last completion. */
  readonly span: number;
  /** Least time a message, of any messages in a row; 0 where that was not looked for. */
  readonly best: number;
}

/** Of round trips or their halves, ps. */
export interface LatencyFigures {
  readonly min: number;
  readonly max: number;
  readonly typical: number;
  readonly avg: number;
  readonly stdev: number;
  readonly p99: number;
  readonly p999: number;
}

/** Bandwidth: the average by the whole, the peak by the best run of messages. */
export function streamFigures({ posted, completed }: Stream): StreamFigures {
  const begun = posted.toSorted((a, b) => a - b);
  const ended = completed.toSorted((a, b) => a - b);
  const [first, last] = [begun[0], ended.at(-1)];
  if (first === undefined || last === undefined) return { span: 0, best: 0 };
  return { span: last - first, best: begun.length > MOST_FOR_PEAK ? 0 : bestOf(begun, ended) };
}

function bestOf(begun: readonly SimTime[], ended: readonly SimTime[]): number {
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < begun.length; i++) {
    const from = begun[i] as number;
    for (let j = i; j < ended.length; j++) {
      const each = ((ended[j] as number) - from) / (j - i + 1);
      if (each < best) best = each;
    }
  }
  return best;
}

/** @param starts of each round trip, and the end of the last @param parts ways of which a round trip has that many */
export function latencyFigures(starts: readonly SimTime[], parts: 1 | 2): LatencyFigures {
  const times = starts.slice(1).map((start, i) => (start - (starts[i] as number)) / parts);
  const sorted = times.toSorted((a, b) => a - b);
  const count = sorted.length;
  const at = (share: number): number => sorted[Math.min(count - 1, Math.ceil(share * count) - 1)] ?? 0;
  const avg = times.reduce((sum, time) => sum + time, 0) / Math.max(1, count);
  const squares = times.reduce((sum, time) => sum + (time - avg) ** 2, 0);
  return {
    min: sorted[0] ?? 0,
    max: sorted.at(-1) ?? 0,
    typical: medianOf(sorted),
    avg,
    stdev: Math.sqrt(squares / Math.max(1, count)),
    p99: at(0.99),
    p999: at(0.999),
  };
}

function medianOf(sorted: readonly number[]): number {
  const middle = sorted.length >> 1;
  if (sorted.length === 0) return 0;
  if (sorted.length % 2 === 1) return sorted[middle] as number;
  return ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}
