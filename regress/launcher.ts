/**
 * Where jobs are played. The local pool of worker processes is the one that ships; a farm (Slurm, LSF) would write a
 * chunk file, submit it, and report results as their files appear. A launcher trusts results, never exit codes.
 */

import type { Job, JobResult } from './job.ts';

/** A job that is being played. */
export interface PlayingJob {
  readonly id: string;
  /** Wall-clock time since it began, in ms. */
  readonly wallMs: number;
}

/** A place where jobs are played. */
export interface Launcher {
  /**
   * Plays all jobs; `onResult` is called once per job that ends, in any order, and once more when it turns out that the
   * job left something behind: what it then says takes the place of what it said before.
   * @throws PoolError when nothing can be played any more; results of before stand
   */
  run(jobs: readonly Job[], onResult: (result: JobResult) => void): Promise<void>;
  /** What is being played now, for people who wait. */
  playing(): readonly PlayingJob[];
  /** Begins no further jobs; `run` returns when those that are being played have ended. */
  finish(): void;
  /** Gives up what has not ended yet; `run` then returns. */
  stop(): void;
}
