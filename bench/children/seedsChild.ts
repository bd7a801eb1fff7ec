/** A fresh process that plays one command line with many seeds, as a worker of a regression does. */

import { loadRegistry } from '../../bin/registry.ts';
import { runOne } from '../../bin/run/runOne.ts';
import { ByteStore } from '../../uvm/bytes/byteStore.ts';

/** What the process is to play. */
export interface SeedsJob {
  readonly testName: string;
  readonly plusargs: readonly string[];
  /** Seeds 1 .. count. */
  readonly count: number;
}

/** What came of it. */
export interface SeedsResult {
  /** Runs by verdict. */
  readonly verdicts: Readonly<Record<string, number>>;
}

/** Plays a `SeedsJob`, given as JSON, and prints a `SeedsResult`. */
export async function main(json: string): Promise<void> {
  const { testName, plusargs, count } = JSON.parse(json) as SeedsJob;
  const registry = await loadRegistry();
  const bytes = ByteStore.create();
  const verdicts: Record<string, number> = {};
  for (let seed = 1; seed <= count; seed++) {
    const { verdict } = runOne({ testName, seed, plusargs }, registry, { sink() {} }, bytes);
    verdicts[verdict] = (verdicts[verdict] ?? 0) + 1;
  }
  process.stdout.write(JSON.stringify({ verdicts } satisfies SeedsResult));
}
