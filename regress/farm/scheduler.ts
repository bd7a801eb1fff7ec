/** Whoever starts the processes of chunks: Slurm, LSF, another scheduler by its commands, a queue. */

import type { ChunkNumber, FarmFolder } from './farmFolder.ts';

/** Consecutive chunks that are handed over together. */
export interface ChunkRange {
  readonly first: ChunkNumber;
  readonly count: number;
}

/** What the scheduler calls a chunk that it has been given. */
export type ScheduledJob = string & { readonly brand: 'scheduled job' };

/**
 * Knows whether the process of a chunk is yet to come or has ended, never how its runs ended: results alone say that. It starts
 * no chunk twice: the regression alone gives chunks out again.
 */
export interface Scheduler {
  /** What `--launcher` calls it. */
  readonly name: string;
  /**
   * Hands chunks over. Their processes are started by `<hca_regress> chunk <session> <number>`.
   * @param avoid machines that have refused chunks, by the names that they give themselves
   * @returns their names, in the order of the chunks
   * @throws SchedulerError when it takes none
   */
  submit(range: ChunkRange, avoid: readonly string[]): Promise<readonly ScheduledJob[]>;
  /**
   * Which of these have ended: they neither wait nor run.
   * @throws SchedulerError when it cannot be asked; it is asked again
   */
  ended(jobs: readonly ScheduledJob[]): Promise<ReadonlySet<ScheduledJob>>;
  /** Ends what waits or runs. Does not throw: nobody may be there any more. */
  cancel(jobs: readonly ScheduledJob[]): Promise<void>;
  /** Gives back what it holds. */
  close(): Promise<void>;
}

/** What every scheduler needs to start the process of a chunk. */
export interface ChunkCommand {
  readonly farm: FarmFolder;
  /** Starts the process of a chunk when the number of the chunk is added. */
  readonly command: readonly string[];
}

/** A scheduler has refused; the message is for the user and names the command. */
export class SchedulerError extends Error {}
