/** A fresh process that plays a few batches on many queue pairs and says how much memory that took. */

import { playSteady } from '../steady/playSteady.ts';
import type { SteadySpec } from '../steady/steadySpec.ts';

/** What the process reports. */
export interface MemoryUse {
  readonly verdict: string;
  /** Highest resident size of the process, bytes. */
  readonly peak: number;
  /** Of that, pages of the simulated hosts' memory. */
  readonly pages: number;
}

/** Plays batches until as many requests as asked for are done, one more, and the tear-down-free end after it. */
export async function main(json: string): Promise<void> {
  const spec = JSON.parse(json) as SteadySpec;
  const { run, pageBytes } = await playSteady(spec, ({ requests }) => requests < spec.perRound);
  const use: MemoryUse = { verdict: run.verdict, peak: process.resourceUsage().maxRSS * 1024, pages: pageBytes };
  process.stdout.write(JSON.stringify(use));
}
