/**
 * Plays jobs on several worker processes.
 *
 * Each worker plays many jobs in its process, handed over in batches that grow smaller towards the end so that all
 * workers finish together. Policy, per event:
 *  - a job ends: its result is reported at once;
 *  - a job that has ended throws something: its result is reported once more, and it has not passed;
 *  - a job ends its process: its result is reported, the other jobs of its batch go back;
 *  - a worker dies: the job it was playing is repeated once in a fresh process, then counts as crashed; the other
 *    jobs of its batch go back to the head of the queue and lose nothing;
 *  - a job exceeds its wall-clock limit, and by so much that the player should have ended it: its worker is killed,
 *    the job counts as timed out, the others go back;
 *  - workers that cannot load the player, or die before they are ready three times in a row, end the regression.
 */

import type { MeasuredRun } from '../coverage/measuredRun.ts';
import { type Job, type JobResult, NOTHING_PLAYED } from '../job.ts';
import type { PlayingJob } from '../launcher.ts';
import type { FromWorker } from './messages.ts';
import type { Measured, PlayedJob, PlayerSettings } from './player.ts';
import { type WorkerEvents, type WorkerOptions, WorkerProcess } from './workerProcess.ts';

/** What can be read off the arguments of a job without playing it. */
export type JobDescription = Pick<JobResult, 'test' | 'seed' | 'replay'>;

/** What a pool is built with. */
export interface PoolOptions extends WorkerOptions {
  readonly workers: number;
  /** Address of the module that exports `createPlayer`. */
  readonly playerUrl: string;
  readonly settings: PlayerSettings;
  /** Wall-clock limit of a job that names none, in seconds; 0 = none. */
  readonly timeoutSeconds: number;
  /** How often a job whose process died is tried at most. */
  readonly attempts: number;
  /** What the arguments of a job say, for jobs that have no result. */
  readonly describe: (job: Job) => JobDescription;
  /** Sees to what a job left whose process did not live to do so; what it returns becomes part of the result. */
  readonly salvage?: (job: Job, end: JobEnd) => Partial<PlayedJob>;
  /** A second result of a job takes the place of the first. */
  readonly onResult: (result: JobResult) => void;
  /** Called before the result of a job whose coverage was measured. */
  readonly onCoverage?: (measured: MeasuredRun) => void;
  /** Called before the result of a job whose player has found something else. */
  readonly onFinding?: (job: Job, finding: unknown) => void;
  /** Called when a job whose process died is to be tried again; `why` is for the user. */
  readonly onRetry?: (job: Job, why: string) => void;
}

/** How a job ended without a word of its own. */
export interface JobEnd {
  readonly status: JobResult['status'];
  readonly message: string;
  readonly wallMs: number;
}

/** No worker could be brought to work: nothing is known about the runs that have no result. */
export class PoolError extends Error {}

/** A message that says how a job has ended. */
type JobMessage = Extract<FromWorker, { wallMs: number }>;

const MAX_BATCH = 32;
const MAX_DEAD_STARTS = 3;

export class WorkerPool implements WorkerEvents {
  readonly #options: PoolOptions;
  readonly #waiting: Job[];
  readonly #attempts = new Map<string, number>();
  readonly #ended = new Map<string, JobResult>();
  readonly #workers = new Set<WorkerProcess>();
  #deadStarts = 0;
  #stopped = false;
  #finishing = false;
  #resolve: () => void = () => {};
  #reject: (error: Error) => void = () => {};

  constructor(options: PoolOptions, jobs: readonly Job[]) {
    this.#options = options;
    this.#waiting = [...jobs];
  }

  /**
   * Plays all jobs.
   * @throws PoolError when workers cannot be started
   */
  run(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      const count = Math.min(this.#options.workers, this.#waiting.length);
      for (let index = 0; index < count; index++) this.#start(index);
      if (count === 0) resolve();
    });
  }

  /** The jobs at which workers are now. */
  playing(): PlayingJob[] {
    const now = performance.now();
    return [...this.#workers].flatMap(({ queue: [job], startedAt }) =>
      job === undefined ? [] : [{ id: job.id, wallMs: now - startedAt }],
    );
  }

  /** Begins no further jobs: what is being played ends as it would. */
  finish(): void {
    this.#finishing = true;
    this.#waiting.length = 0;
  }

  /** Begins no further jobs, and asks players to end those that are played with what they have. */
  interrupt(): void {
    this.finish();
    for (const worker of this.#workers) worker.interrupt();
  }

  /** Ends all workers and forgets the jobs that have no result yet. */
  stop(): void {
    this.#stopped = true;
    for (const worker of this.#workers) worker.kill();
    this.#workers.clear();
    this.#resolve();
  }

  message(worker: WorkerProcess, message: FromWorker): void {
    // A result may still arrive from a worker that has just been killed for being overdue.
    if (this.#stopped || worker.retired) return;
    if (message.kind === 'ready') {
      worker.ready = true;
      this.#deadStarts = 0;
      this.#feed(worker);
    } else if (message.kind === 'unusable') this.#fail(`a worker could not start: ${message.message}`);
    else if (message.kind === 'stray') this.#stray(message.id, message.message);
    else if (message.kind === 'dying') worker.lastWords = message.message;
    else this.#finished(worker, message);
  }

  overdue(worker: WorkerProcess): void {
    const job = worker.queue.shift();
    if (job !== undefined) {
      const limit = this.#limitOf(job);
      this.#lost(worker, job, {
        status: 'timeout',
        message: `no end after ${limit} s of wall-clock time; the run did not react any more and was killed`,
        wallMs: performance.now() - worker.startedAt,
      });
    }
    this.#replace(worker);
  }

  ended(worker: WorkerProcess, why: string): void {
    if (this.#stopped) return;
    if (!worker.ready && ++this.#deadStarts >= MAX_DEAD_STARTS) {
      this.#fail(`workers die before they can play anything: ${why}`);
      return;
    }
    const job = worker.queue.shift();
    if (job !== undefined) this.#crashed(worker, job, why);
    this.#replace(worker);
  }

  #start(index: number): void {
    const worker = new WorkerProcess(index, this.#options, this);
    this.#workers.add(worker);
    worker.send({ kind: 'setup', playerUrl: this.#options.playerUrl, settings: this.#options.settings });
  }

  /** The next batch for an idle worker; the pool is done when nobody is left. */
  #feed(worker: WorkerProcess): void {
    const batch = this.#waiting.splice(0, this.#batchSize());
    const [first] = batch;
    if (first !== undefined) {
      worker.play(batch, this.#attemptOf(first), this.#limitOf);
      return;
    }
    worker.kill();
    this.#workers.delete(worker);
    if (this.#workers.size === 0) this.#resolve();
  }

  /** A repeated job travels alone, so that a second crash is beyond doubt its own. */
  #batchSize(): number {
    const first = this.#waiting[0];
    if (first !== undefined && this.#attempts.has(first.id)) return 1;
    const share = Math.ceil(this.#waiting.length / (this.#options.workers * 4));
    const repeated = this.#waiting.findIndex((job) => this.#attempts.has(job.id));
    return Math.min(MAX_BATCH, share, repeated < 0 ? MAX_BATCH : repeated);
  }

  #finished(worker: WorkerProcess, message: JobMessage): void {
    const job = worker.queue.shift();
    if (job === undefined || job.id !== message.id) {
      this.#fail(`worker ${worker.index} answered for ${message.id} while playing ${job?.id ?? 'nothing'}`);
      return;
    }
    worker.startClock(this.#limitOf);
    const { wallMs } = message;
    if (message.kind === 'result') this.#played(worker, job, wallMs, message.played);
    else if (message.kind === 'ending') this.#report(worker, job, wallMs, message.played);
    else this.#lost(worker, job, { status: 'crashed', message: message.message, wallMs });
    // What its batch still holds is to be begun by another process, or not at all.
    if (message.kind === 'ending' || (this.#finishing && worker.queue.length > 0)) {
      worker.kill();
      this.#replace(worker);
      return;
    }
    // Whoever takes the results may have had enough.
    if (!this.#stopped && worker.queue.length === 0) this.#feed(worker);
  }

  /** Coverage goes its own way: it is no part of journals and reports. */
  #played(
    worker: WorkerProcess,
    job: Job,
    wallMs: number,
    { coverage, finding, ...played }: PlayedJob & Measured,
  ): void {
    if (coverage !== undefined) this.#options.onCoverage?.(coverage);
    if (finding !== undefined) this.#options.onFinding?.(job, finding);
    this.#report(worker, job, wallMs, played);
  }

  #crashed(worker: WorkerProcess, job: Job, why: string): void {
    const tried = this.#attemptOf(job);
    if (tried < this.#options.attempts && !this.#finishing) {
      this.#attempts.set(job.id, tried);
      this.#waiting.unshift(job);
      this.#options.onRetry?.(job, why);
      return;
    }
    this.#lost(worker, job, { status: 'crashed', message: why, wallMs: performance.now() - worker.startedAt });
  }

  /** A new process takes the place of a dead one; the jobs it had not begun come first. */
  #replace(worker: WorkerProcess): void {
    if (this.#stopped) return;
    this.#workers.delete(worker);
    const unbegun = worker.queue.splice(0);
    if (!this.#finishing) this.#waiting.unshift(...unbegun);
    if (this.#waiting.length > 0) this.#start(worker.index);
    else if (this.#workers.size === 0) this.#resolve();
  }

  /** Reports a job whose player could not say how it ended. */
  #lost(worker: WorkerProcess, job: Job, end: JobEnd): void {
    const { status, message, wallMs } = end;
    this.#report(worker, job, wallMs, { status, message, ...this.#options.salvage?.(job, end) });
  }

  #report(
    worker: WorkerProcess,
    job: Job,
    wallMs: number,
    outcome: Partial<PlayedJob> & { status: JobResult['status'] },
  ): void {
    const attempts = this.#attemptOf(job);
    const { id, family, title } = job;
    const known = { ...NOTHING_PLAYED, ...this.#options.describe(job), ...outcome };
    const started = new Date(Date.now() - wallMs).toISOString();
    this.#tell({ ...known, id, family, title, attempts, wallMs, worker: worker.index, started });
  }

  /** Which time a job is played, from 1. */
  #attemptOf({ id }: Job): number {
    return (this.#attempts.get(id) ?? 0) + 1;
  }

  #stray(id: string, text: string): void {
    const ended = this.#ended.get(id);
    if (ended !== undefined) this.#tell(withStray(ended, text));
  }

  #tell(result: JobResult): void {
    this.#ended.set(result.id, result);
    this.#options.onResult(result);
  }

  readonly #limitOf = (job: Job): number => {
    return job.timeoutSeconds > 0 ? job.timeoutSeconds : this.#options.timeoutSeconds;
  };

  #fail(message: string): void {
    this.#reject(new PoolError(message));
    this.stop();
  }
}

/** What a job throws when it has been judged is a defect of harness code, as an exception within it is. */
function withStray(result: JobResult, text: string): JobResult {
  const message = `in a promise or callback that nobody waited for, after the verdict: ${text.split('\n')[0]}`;
  if (result.status !== 'passed') return { ...result, message: `${result.message}; [EXCEPTION] ${message}` };
  const signature = { id: 'EXCEPTION', component: 'reporter', message, time: result.simulatedTimePs };
  return { ...result, status: 'error', signature, message: `[EXCEPTION] ${message}` };
}
