/**
 * Where jobs are played. The local pool of worker processes is the one that ships; a farm (Slurm, LSF) would write a
 * chunk file, submit it, and report results as their files appear. A launcher trusts results, never exit codes.
 */

import type { Job, JobResult } from './job.ts';

/** A place where jobs are played. */
export interface Launcher {
  /**
   * Plays all jobs; `onResult` is called once per job that ends, in any order.
   * @throws Error when nothing can be played at all
   */
  run(jobs: readonly Job[], onResult: (result: JobResult) => void): Promise<void>;
  /** Gives up what has not ended yet; `run` then returns. */
  stop(): void;
}
