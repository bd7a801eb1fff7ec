/** Chunks as tasks of array jobs, as Slurm and LSF have them. */

import type { ChunkRange, ScheduledJob } from '../scheduler.ts';

export interface ArrayOptions {
  /** Tasks of an array at a time, as for licenses; undefined = no limit. */
  readonly slots: number | undefined;
  /** Given to the scheduler as they are: `--partition=regress`. */
  readonly words: readonly string[];
}

/**
 * Hands a range over in arrays of at most so many tasks.
 * @param submit hands over `size` chunks from `first` on, and returns how their tasks are called, by index from 0
 */
export async function inArrays(
  { first, count }: ChunkRange,
  largest: number,
  submit: (first: number, size: number) => Promise<(index: number) => ScheduledJob>,
): Promise<readonly ScheduledJob[]> {
  const jobs: ScheduledJob[] = [];
  for (let begun = 0; begun < count; begun += largest) {
    const size = Math.min(largest, count - begun);
    const nameOf = await submit(first + begun, size);
    for (let index = 0; index < size; index++) jobs.push(nameOf(index));
  }
  return jobs;
}

/** Numbers of the arrays that tasks belong to: `12` of `12_3` and `12[3]`. */
export function arraysOf(jobs: readonly ScheduledJob[]): readonly string[] {
  return [...new Set(jobs.map((job) => job.replace(/\D.*$/, '')))];
}
