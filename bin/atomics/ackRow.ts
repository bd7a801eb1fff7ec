/** What repeats of atomics cost with one depth and group size of the ACK queue. */
export interface AckRow {
  readonly depth: number;
  /** Entries of a group; the depth is without groups. */
  readonly group: number;
  /** Host reads of a repeat, bytes of them, and time from the repeat to its answer in us: means, and the worst. */
  readonly reads: number;
  readonly bytes: number;
  readonly latency: number;
  readonly worstBytes: number;
  readonly worstLatency: number;
  /** Why there are no figures; empty where there are. */
  readonly problem: string;
}

const REPEAT = /repeat \d+ back: (\d+) reads, (\d+) bytes, answer after ([\d.]+)(ns|us|ms)/g;
const MICROSECONDS: Readonly<Record<string, number>> = { ns: 1e-3, us: 1, ms: 1e3 };

/** Reads the lines of `ack_queue_depths` in the output of a run. */
export function ackRowOf(depth: number, group: number, output: string): AckRow {
  const repeats = [...output.matchAll(REPEAT)].map(([, reads, bytes, time, unit = 'us']) => {
    return { reads: Number(reads), bytes: Number(bytes), latency: Number(time) * (MICROSECONDS[unit] as number) };
  });
  const nothing = { depth, group, reads: 0, bytes: 0, latency: 0, worstBytes: 0, worstLatency: 0 };
  if (!output.includes('TEST PASSED')) return { ...nothing, problem: 'the run failed' };
  if (repeats.length === 0) return { ...nothing, problem: 'no repeat was answered' };
  const mean = (of: (r: (typeof repeats)[number]) => number): number =>
    repeats.reduce((sum, r) => sum + of(r), 0) / repeats.length;
  return {
    ...{ depth, group, reads: mean((r) => r.reads), bytes: mean((r) => r.bytes), latency: mean((r) => r.latency) },
    worstBytes: Math.max(...repeats.map(({ bytes }) => bytes)),
    worstLatency: Math.max(...repeats.map(({ latency }) => latency)),
    problem: '',
  };
}
