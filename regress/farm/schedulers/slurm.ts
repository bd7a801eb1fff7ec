/** Chunks as array jobs of Slurm: one `sbatch` for up to a thousand chunks, one `squeue` for all that is under way. */

import { commandLine } from '../../../uvm/cmdline/shellQuote.ts';
import { type ChunkCommand, type ChunkRange, type ScheduledJob, type Scheduler, SchedulerError } from '../scheduler.ts';
import { type ArrayOptions, arraysOf, inArrays } from './arrays.ts';
import { mustSucceed, runCommand } from './runCommand.ts';

/** `MaxArraySize` is 1001 where nobody has set it. */
const LARGEST_ARRAY = 1000;

export class SlurmScheduler implements Scheduler {
  readonly name = 'slurm';
  readonly #options: ArrayOptions & ChunkCommand;

  constructor(options: ArrayOptions & ChunkCommand) {
    this.#options = options;
  }

  submit(range: ChunkRange, avoid: readonly string[]): Promise<readonly ScheduledJob[]> {
    return inArrays(range, LARGEST_ARRAY, async (first, size) => {
      const id = await this.#submitArray(first, size, avoid);
      return (index) => `${id}_${index}` as ScheduledJob;
    });
  }

  /** `--no-requeue`: the regression alone gives chunks out again. */
  async #submitArray(first: number, size: number, avoid: readonly string[]): Promise<string> {
    const { farm, command, slots, words } = this.#options;
    const out = await mustSucceed('sbatch', [
      '--parsable',
      '--no-requeue',
      '--job-name=rnic-verify',
      `--array=0-${size - 1}${slots === undefined ? '' : `%${slots}`}`,
      `--output=${farm.logs}/%A_%a.log`,
      ...(avoid.length === 0 ? [] : [`--exclude=${avoid.join(',')}`]),
      ...words,
      // The shell of the task adds: numbers of tasks begin at 0 in each array.
      `--wrap=exec ${commandLine(command)} $((${first} + SLURM_ARRAY_TASK_ID))`,
    ]);
    const [, id] = /^(\d+)(;\S+)?\s*$/.exec(out) ?? [];
    if (id === undefined)
      throw new SchedulerError(`sbatch --parsable: expected the number of a job, got "${out.trim()}"`);
    return id;
  }

  async ended(jobs: readonly ScheduledJob[]): Promise<ReadonlySet<ScheduledJob>> {
    const arrays = arraysOf(jobs);
    if (arrays.length === 0) return new Set();
    const asked = ['--noheader', '--array', '--format=%F_%K', `--jobs=${arrays.join(',')}`];
    const { code, out, err } = await runCommand('squeue', asked);
    // Of one job that is forgotten squeue says so, of several it leaves them out.
    if (code !== 0 && !/Invalid job id/i.test(err)) throw new SchedulerError(`squeue: ${err.trim()}`);
    const there = new Set(out.split(/\s+/));
    return new Set(jobs.filter((job) => !there.has(job)));
  }

  async cancel(jobs: readonly ScheduledJob[]): Promise<void> {
    if (jobs.length > 0) await runCommand('scancel', ['--quiet', ...jobs]).catch(() => undefined);
  }

  async close(): Promise<void> {}
}
