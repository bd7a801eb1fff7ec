/**
 * Plays jobs on a farm: writes chunks, has a scheduler start their processes, and reads results as they come.
 *
 * It trusts results, never the scheduler. Policy, per event:
 *  - a result comes: it is reported at once; of two of one run the first counts, and they must be of one transcript;
 *  - a chunk is lost, because its process has ended or has given no sign of life for long: its runs without a result are
 *    given out again in new chunks. Those that were being played may be why: each goes alone, and counts as crashed when
 *    it was lost twice. The others lose nothing;
 *  - a machine refuses a chunk: its runs are given out again, elsewhere where the scheduler can be told so;
 *  - chunks are lost one after another and no run ends in between: the regression ends, for the farm plays nothing.
 * A process that was taken for lost may go on: nothing that it writes is in the way of those that come after it.
 */

import { rmSync, writeFileSync } from 'node:fs';
import { counted } from '../../uvm/report/counted.ts';
import { type Job, type JobResult, NOTHING_PLAYED } from '../job.ts';
import type { Launcher, PlayingJob } from '../launcher.ts';
import { type JobDescription, PoolError, type PoolOptions } from '../pool/workerPool.ts';
import { ModelReader, type PlayedLine } from './chunkResults.ts';
import {
  type Chunk,
  FarmFileError,
  type FarmSettings,
  readChunk,
  readFarmSettings,
  writeChunk,
  writeFarmSettings,
} from './farmFiles.ts';
import { type ChunkNumber, FarmFolder, type FarmOrder } from './farmFolder.ts';
import { type LostChunk, OpenChunk, type Patience } from './openChunk.ts';
import { type ScheduledJob, type Scheduler, SchedulerError } from './scheduler.ts';

/** What a farm is built with. */
export interface FarmOptions {
  /** Folder of the regression: its whole path, the same on all nodes. */
  readonly out: string;
  readonly settings: () => Promise<FarmSettings>;
  readonly scheduler: (session: FarmFolder) => Scheduler;
  /** Runs of a chunk, by the number of all runs. */
  readonly runsOfChunk: (runs: number) => number;
  /** How often a run that was lost is given out at most. */
  readonly attempts: number;
  /** Chunks that are lost one after another, without a result in between, before the farm counts as broken. */
  readonly mostBarren: number;
  readonly patience: Patience;
  readonly pace: FarmPace;
  /** What the arguments of a job say, for jobs that have no result. */
  readonly describe: (job: Job) => JobDescription;
  /** Takes away what a run has left that was lost and has ended elsewhere since. */
  readonly clear: (job: Job) => void;
  readonly onCoverage?: PoolOptions['onCoverage'];
  readonly onRetry?: PoolOptions['onRetry'];
  /** What is to be known of the farm, for people. */
  readonly onNote?: (text: string) => void;
}

/** How often the farm is looked at (ms). */
export interface FarmPace {
  /** For results; longer where many chunks are open. */
  readonly resultsMs: number;
  /** For signs of life. */
  readonly leasesMs: number;
  /** At the scheduler. */
  readonly schedulerMs: number;
}

/** Looks for results take this much for each open chunk (ms), at most a fifth of the time. */
const CHUNK_MS = 1;
/** Calls of the scheduler that fail one after another. */
const MOST_UNANSWERED = 60;

export class FarmLauncher implements Launcher {
  readonly #options: FarmOptions;
  #farm: Farm | undefined;
  #order: FarmOrder | undefined;

  constructor(options: FarmOptions) {
    this.#options = options;
  }

  async run(jobs: readonly Job[], onResult: (result: JobResult) => void): Promise<void> {
    if (jobs.length === 0) return;
    const settings = await this.#options.settings();
    if (this.#hasOrder()) return;
    const earlier = FarmFolder.sessions(this.#options.out);
    const folder = FarmFolder.begin(this.#options.out);
    writeFarmSettings(folder, settings);
    const farm = new Farm(this.#options, folder, settings, onResult);
    this.#farm = farm;
    const known = harvest(earlier, jobs, settings, farm);
    await farm.play(jobs.filter(({ id }) => !known.has(id)));
  }

  /** Somebody may have stopped it before there was a farm. */
  #hasOrder(): boolean {
    return this.#order !== undefined;
  }

  playing(): readonly PlayingJob[] {
    return this.#farm?.playing() ?? [];
  }

  finish(): void {
    this.#order ??= 'finish';
    this.#farm?.order('finish');
  }

  stop(): void {
    this.#order = 'stop';
    this.#farm?.order('stop');
  }
}

/**
 * Tells the chunks of earlier sessions, of a regression that goes on, to end, and takes the results that nobody has read:
 * those of runs that have left nothing, for what others have left was taken away.
 * @returns ids of runs that need not be played any more
 */
function harvest(
  sessions: readonly FarmFolder[],
  jobs: readonly Job[],
  settings: FarmSettings,
  farm: Pick<Farm, 'played'>,
): ReadonlySet<string> {
  const wanted = new Map(jobs.map((job) => [job.id, job]));
  const found = new Set<string>();
  for (const session of sessions) {
    writeFileSync(session.order('stop'), '');
    for (const chunk of chunksPlayedAlike(session, settings)) {
      for (const line of new OpenChunk(session, chunk, '' as ScheduledJob, new ModelReader(), 1).fresh()) {
        const { id, folder, log } = line.result;
        const job = wanted.get(id);
        if (job === undefined || found.has(id) || folder !== '' || log !== '') continue;
        found.add(id);
        farm.played(job, line, 0);
      }
    }
  }
  return found;
}

/** Chunks of a session that plays as this one does; what cannot be read is none. */
function* chunksPlayedAlike(session: FarmFolder, { sources }: FarmSettings): Generator<Chunk> {
  try {
    if (readFarmSettings(session).sources !== sources) return;
    for (const number of session.chunkNumbers()) yield readChunk(session, number);
  } catch (error) {
    if (!(error instanceof FarmFileError)) throw error;
  }
}

/** One session. */
class Farm {
  readonly #options: FarmOptions;
  readonly #folder: FarmFolder;
  readonly #settings: FarmSettings;
  readonly #onResult: (result: JobResult) => void;
  readonly #scheduler: Scheduler;
  readonly #models = new ModelReader();
  readonly #open = new Set<OpenChunk>();
  /** Lost chunks, of which the processes may go on. */
  readonly #orphans = new Set<OpenChunk>();
  readonly #transcripts = new Map<string, string>();
  /** How often each run was lost. */
  readonly #losses = new Map<string, number>();
  readonly #lostJobs = new Map<string, Job>();
  readonly #avoid = new Set<string>();
  /** Runs of chunks that the scheduler has not taken yet. */
  readonly #unsubmitted: (readonly Job[])[] = [];
  #chunks = 0;
  #barren = 0;
  #unanswered = 0;
  #order: FarmOrder | undefined;
  #wake: () => void = () => {};

  constructor(options: FarmOptions, folder: FarmFolder, settings: FarmSettings, onResult: (result: JobResult) => void) {
    this.#options = options;
    this.#folder = folder;
    this.#settings = settings;
    this.#onResult = onResult;
    this.#scheduler = options.scheduler(folder);
  }

  /** @throws PoolError when the farm plays nothing */
  async play(jobs: readonly Job[]): Promise<void> {
    const size = this.#options.runsOfChunk(jobs.length);
    const parts: (readonly Job[])[] = [];
    for (let at = 0; at < jobs.length; at += size) parts.push(jobs.slice(at, at + size));
    try {
      await this.#submit(parts, true);
      await this.#watch();
      this.#compareOrphans();
    } catch (error) {
      throw error instanceof SchedulerError
        ? new PoolError(`--launcher ${this.#scheduler.name}: ${error.message}`)
        : error;
    } finally {
      writeFileSync(this.#folder.order('stop'), '');
      await this.#scheduler.cancel([...this.#open].map(({ scheduled }) => scheduled));
      await this.#scheduler.close();
    }
    for (const job of this.#lostJobs.values()) this.#options.clear(job);
    // Where something was lost somebody may want to look at it.
    if (this.#orphans.size === 0 && this.#order === undefined)
      rmSync(this.#folder.path, { recursive: true, force: true });
  }

  /** What processes were playing at their last signs of life. */
  playing(): PlayingJob[] {
    return [...this.#open].flatMap(({ playing }) => playing);
  }

  order(order: FarmOrder): void {
    this.#order = order;
    writeFileSync(this.#folder.order(order), '');
    this.#wake();
  }

  /** A run has ended; told once for each line of results. @param losses of its run before */
  played(job: Job, { result, coverage }: PlayedLine, losses: number): void {
    this.#transcripts.set(job.id, result.transcript);
    const { id, family, title } = job;
    // The line to paste is that of this machine, not what a node has written.
    const { replay } = this.#options.describe(job);
    if (coverage !== undefined) this.#options.onCoverage?.({ ...coverage, run: { ...coverage.run, name: id, replay } });
    this.#onResult({ ...result, id, family, title, replay, attempts: result.attempts + losses });
  }

  async #submit(parts: readonly (readonly Job[])[], isFirst: boolean): Promise<void> {
    if (parts.length === 0) return;
    const first = (this.#chunks + 1) as ChunkNumber;
    const chunks = parts.map(
      (jobs, i): Chunk => ({ number: (first + i) as ChunkNumber, isFirst: this.#isOnlyOne(isFirst), jobs }),
    );
    this.#chunks += parts.length;
    for (const chunk of chunks) writeChunk(this.#folder, chunk);
    const names = await this.#scheduler.submit({ first, count: chunks.length }, [...this.#avoid]);
    const { workers } = this.#settings;
    for (const [i, chunk] of chunks.entries())
      this.#open.add(new OpenChunk(this.#folder, chunk, names[i] as ScheduledJob, this.#models, workers));
  }

  /** Processes of an earlier session may not have heard yet that they are to end. */
  #isOnlyOne(isFirst: boolean): boolean {
    return isFirst && this.#folder.session === 1;
  }

  /** Until all chunks have ended. */
  async #watch(): Promise<void> {
    const { pace } = this.#options;
    let leasesAt = 0;
    let schedulerAt = performance.now() + pace.schedulerMs;
    while (this.#open.size + this.#unsubmitted.length > 0 && !this.#isStopped()) {
      await this.#pause(Math.max(pace.resultsMs, this.#open.size * CHUNK_MS * 5));
      const now = performance.now();
      if (this.#order === 'finish') await this.#cancelUnbegun();

      if (now >= schedulerAt) {
        await this.#askScheduler(now);
        schedulerAt = performance.now() + pace.schedulerMs;
      }
      const looks = now >= leasesAt;
      if (looks) leasesAt = now + pace.leasesMs;
      for (const chunk of this.#open) {
        if (this.#isStopped()) return;
        if (looks) chunk.look(now);
        this.#collect(chunk);
      }
      await this.#sortOut(performance.now());
    }
  }

  #isStopped(): boolean {
    return this.#order === 'stop';
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #collect(chunk: OpenChunk): void {
    for (const line of chunk.fresh()) {
      const job = chunk.ended(line.result.id);
      if (job === undefined) continue;
      this.#barren = 0;
      this.played(job, line, this.#losses.get(job.id) ?? 0);
      // Whoever takes the results may have had enough.
      if (this.#isStopped()) return;
    }
  }

  async #askScheduler(now: number): Promise<void> {
    const open = [...this.#open].filter(({ hasEnded }) => !hasEnded);
    try {
      const ended = await this.#scheduler.ended(open.map(({ scheduled }) => scheduled));
      for (const chunk of open) if (ended.has(chunk.scheduled)) chunk.processEnded(now);
      this.#unanswered = 0;
    } catch (error) {
      this.#unansweredBy(error);
    }
  }

  /** Takes chunks away that have ended, and gives the runs out again that they have lost. */
  async #sortOut(now: number): Promise<void> {
    const again: (readonly Job[])[] = [];
    const lostChunks: OpenChunk[] = [];
    for (const chunk of this.#open) {
      const lost = chunk.isComplete ? undefined : chunk.lost(now, this.#options.patience);
      if (!chunk.isComplete && lost === undefined) continue;
      this.#open.delete(chunk);
      if (lost === undefined || chunk.left.size === 0) continue;
      lostChunks.push(chunk);
      if (this.#order === undefined) again.push(...this.#givenAgain(chunk, lost));
    }
    await this.#scheduler.cancel(lostChunks.filter(({ hasEnded }) => !hasEnded).map(({ scheduled }) => scheduled));
    await this.#resubmit([...this.#unsubmitted.splice(0), ...again]);
  }

  /** A scheduler that does not take them now may do so later. */
  async #resubmit(parts: readonly (readonly Job[])[]): Promise<void> {
    if (this.#order !== undefined) return;
    try {
      await this.#submit(parts, false);
    } catch (error) {
      this.#unansweredBy(error);
      this.#unsubmitted.push(...parts);
    }
  }

  /** @throws the error when there is no hope any more */
  #unansweredBy(error: unknown): void {
    if (!(error instanceof SchedulerError) || ++this.#unanswered >= MOST_UNANSWERED) throw error;
    if (this.#unanswered === 1) this.#options.onNote?.(`${this.#scheduler.name}: ${error.message}; asked again`);
  }

  /** @returns runs of new chunks */
  #givenAgain(chunk: OpenChunk, { why, suspects, refusedBy }: LostChunk): readonly (readonly Job[])[] {
    const { attempts, mostBarren, onNote, onRetry } = this.#options;
    this.#orphans.add(chunk);
    if (refusedBy !== undefined && refusedBy !== '') this.#avoid.add(refusedBy);
    const by = refusedBy === undefined ? '' : `refused by ${refusedBy || 'a node'}: `;
    onNote?.(`${chunk.name}: ${by}${why}; ${counted(chunk.left.size, 'run')} of it not played`);
    if (++this.#barren >= mostBarren)
      throw new PoolError(
        `the farm plays nothing: ${mostBarren} chunks were lost one after another; the last one, ${chunk.name}: ${by}${why}`,
      );
    const alone = new Set(suspects);
    for (const job of chunk.left.values()) this.#lostJobs.set(job.id, job);
    for (const job of suspects) this.#losses.set(job.id, (this.#losses.get(job.id) ?? 0) + 1);
    const spent = suspects.filter(({ id }) => (this.#losses.get(id) as number) >= attempts);
    for (const job of spent) this.#crashed(job, why);
    const rest = [...chunk.left.values()].filter((job) => !alone.has(job));
    const tried = suspects.filter((job) => !spent.includes(job));
    for (const job of tried) onRetry?.(job, why);
    return [...tried.map((job) => [job]), ...(rest.length > 0 ? [rest] : [])];
  }

  #crashed(job: Job, why: string): void {
    const { id, family, title } = job;
    const { attempts, describe } = this.#options;
    const message = `the process that played it was lost, ${counted(attempts, 'time')}; the last time: ${why}`;
    const known = { ...NOTHING_PLAYED, ...describe(job), status: 'crashed' as const, message };
    this.#onResult({ ...known, id, family, title, attempts, wallMs: 0, worker: 0 });
  }

  async #cancelUnbegun(): Promise<void> {
    this.#unsubmitted.length = 0;
    const unbegun = [...this.#open].filter(({ isClaimed }) => !isClaimed);
    for (const chunk of unbegun) this.#open.delete(chunk);
    await this.#scheduler.cancel(unbegun.map(({ scheduled }) => scheduled));
  }

  /** What processes have played that went on: equal, or somebody must know. */
  #compareOrphans(): void {
    for (const orphan of this.#orphans) {
      for (const { result } of orphan.fresh()) {
        const { id, transcript } = result;
        const counts = this.#transcripts.get(id) ?? '';
        if (orphan.left.has(id) && counts !== '' && transcript !== '' && counts !== transcript)
          this.#options.onNote?.(`${id} was played twice, and transcripts differ: ${counts}, ${transcript}`);
      }
    }
  }
}
