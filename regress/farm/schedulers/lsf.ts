/** Chunks as array jobs of LSF: one `bsub` for up to a thousand chunks, one `bjobs` for all that is under way. */

import { commandLine } from '../../../uvm/cmdline/shellQuote.ts';
import { type ChunkCommand, type ChunkRange, type ScheduledJob, type Scheduler, SchedulerError } from '../scheduler.ts';
import { type ArrayOptions, arraysOf, inArrays } from './arrays.ts';
import { mustSucceed, runCommand } from './runCommand.ts';

/** `MAX_JOB_ARRAY_SIZE` is 1000 where nobody has set it. */
const LARGEST_ARRAY = 1000;
/** States of jobs that are neither waiting nor running. */
const OVER = /^(DONE|EXIT|ZOMBI)$/;

export class LsfScheduler implements Scheduler {
  readonly name = 'lsf';
  readonly #options: ArrayOptions & ChunkCommand;

  constructor(options: ArrayOptions & ChunkCommand) {
    this.#options = options;
  }

  submit(range: ChunkRange, avoid: readonly string[]): Promise<readonly ScheduledJob[]> {
    return inArrays(range, LARGEST_ARRAY, async (first, size) => {
      const id = await this.#submitArray(first, size, avoid);
      // Numbers of elements begin at 1.
      return (index) => `${id}[${index + 1}]` as ScheduledJob;
    });
  }

  /** `-rn`: the regression alone gives chunks out again. */
  async #submitArray(first: number, size: number, avoid: readonly string[]): Promise<string> {
    const { farm, command, slots, words } = this.#options;
    const out = await mustSucceed('bsub', [
      '-rn',
      '-J',
      `rnic-verify[1-${size}]${slots === undefined ? '' : `%${slots}`}`,
      '-oo',
      `${farm.logs}/%J_%I.log`,
      ...(avoid.length === 0 ? [] : ['-R', `select[${avoid.map((host) => `hname!='${host}'`).join(' && ')}]`]),
      ...words,
      `exec ${commandLine(command)} $((${first - 1} + LSB_JOBINDEX))`,
    ]);
    const [, id] = /Job <(\d+)> is submitted/.exec(out) ?? [];
    if (id === undefined) throw new SchedulerError(`bsub: expected "Job <number> is submitted", got "${out.trim()}"`);
    return id;
  }

  async ended(jobs: readonly ScheduledJob[]): Promise<ReadonlySet<ScheduledJob>> {
    const arrays = arraysOf(jobs);
    if (arrays.length === 0) return new Set();
    const { code, out, err } = await runCommand('bjobs', ['-a', '-noheader', '-o', 'jobid jobindex stat', ...arrays]);
    // Of arrays that are forgotten bjobs says so on standard error; the others are listed all the same.
    if (code !== 0 && !/is not found/i.test(`${out}${err}`)) throw new SchedulerError(`bjobs: ${err.trim()}`);
    const there = new Set<string>();
    for (const line of out.split('\n')) {
      const [id, index, state] = line.trim().split(/\s+/);
      if (state !== undefined && !OVER.test(state)) there.add(`${id}[${index}]`);
    }
    return new Set(jobs.filter((job) => !there.has(job)));
  }

  async cancel(jobs: readonly ScheduledJob[]): Promise<void> {
    if (jobs.length > 0) await runCommand('bkill', jobs).catch(() => undefined);
  }

  async close(): Promise<void> {}
}
