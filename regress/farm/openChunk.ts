/** A chunk that was given out, as the regression sees it: what it has played, who plays it, and whether it is lost. */

import type { Job } from '../job.ts';
import { type ModelReader, type PlayedLine, ResultReader } from './chunkResults.ts';
import { type Chunk, FarmFileError, readRefusal, type Refusal } from './farmFiles.ts';
import type { ChunkNumber, FarmFolder } from './farmFolder.ts';
import { type Holder, holderOf } from './lease.ts';
import type { ScheduledJob } from './scheduler.ts';

/** How a chunk ended that has not played all of its runs. */
export interface LostChunk {
  /** For people, without the chunk. */
  readonly why: string;
  /** Runs that may be why: those that were being played. None where no process has begun. */
  readonly suspects: readonly Job[];
  /** Machine that has refused it. */
  readonly refusedBy?: string;
}

/** How long a chunk may be silent. */
export interface Patience {
  /** No sign of life from its process (ms). */
  readonly lostMs: number;
  /** The scheduler says that it has ended, and its last results may still be on their way (ms). */
  readonly settleMs: number;
}

export class OpenChunk {
  readonly number: ChunkNumber;
  readonly scheduled: ScheduledJob;
  /** Runs without a result, in the order in which they are played. */
  readonly left: Map<string, Job>;
  readonly #folder: FarmFolder;
  readonly #reader: ResultReader;
  readonly #workers: number;
  #holder: Holder | undefined;
  /** When the last new sign of life was seen, and when the scheduler said that it has ended (ms). */
  #seenAt = 0;
  #endedAt: number | undefined;
  #refusal: Refusal | undefined;
  #wrong = '';
  readonly #played = new Map<string, Job>();

  /** @param workers processes that play runs of it at a time */
  constructor(folder: FarmFolder, chunk: Chunk, scheduled: ScheduledJob, models: ModelReader, workers: number) {
    this.number = chunk.number;
    this.scheduled = scheduled;
    this.left = new Map(chunk.jobs.map((job) => [job.id, job]));
    this.#folder = folder;
    this.#reader = new ResultReader(folder, chunk.number, models);
    this.#workers = workers;
  }

  /** Whether a process has begun with it. */
  get isClaimed(): boolean {
    return this.#holder !== undefined;
  }

  get hasEnded(): boolean {
    return this.#endedAt !== undefined;
  }

  /** What its process was playing at its last sign of life. */
  get playing(): Holder['playing'] {
    return this.#holder?.playing.filter(({ id }) => this.left.has(id)) ?? [];
  }

  /** How it is called in messages. */
  get name(): string {
    const { host = '', pid = 0 } = this.#holder ?? {};

    return host === '' ? `chunk ${this.number}` : `chunk ${this.number} (process ${pid} on ${host})`;
  }

  /** Its process has played all runs and ended, or will not be heard of any more. */
  get isComplete(): boolean {
    return this.left.size === 0 && (this.#reader.ended || this.hasEnded);
  }

  /** The run of a result, which has one now; undefined where the chunk has no such run. */
  ended(id: string): Job | undefined {
    const job = this.left.get(id);
    if (job === undefined) return this.#played.get(id);
    this.left.delete(id);
    this.#played.set(id, job);
    return job;
  }

  /** Results since the last time; what cannot be read ends the chunk. */
  *fresh(): Generator<PlayedLine> {
    if (this.#wrong !== '') return;
    try {
      for (const line of this.#reader.fresh()) {
        yield line;
      }
    } catch (error) {
      if (!(error instanceof FarmFileError)) throw error;
      this.#wrong = error.message;
    }
  }

  /** Looks for signs of life, and for a word of a machine that does not play it. */
  look(now: number): void {
    this.#refusal ??= readRefusal(this.#folder, this.number);
    const holder = holderOf(this.#folder, this.number);
    if (holder === undefined || holder.beat === this.#holder?.beat) return;
    this.#holder = holder;
    this.#seenAt = now;
  }

  /** The scheduler says that its process is neither waiting nor running. */
  processEnded(now: number): void {
    this.#endedAt ??= now;
  }

  /** Whether it is lost, and why; undefined where it may still play. */
  lost(now: number, { lostMs, settleMs }: Patience): LostChunk | undefined {
    if (this.#wrong !== '') return { why: this.#wrong, suspects: this.#suspects() };
    if (this.#refusal !== undefined) return { why: this.#refusal.why, suspects: [], refusedBy: this.#refusal.host };
    if (this.#reader.ended) return { why: 'its process has ended without playing all of its runs', suspects: [] };
    if (this.#endedAt !== undefined && now - this.#endedAt >= settleMs) {
      const when = this.#holder === undefined ? 'before it began' : 'before it had played all of its runs';
      return { why: `its process has ended ${when}`, suspects: this.#suspects() };
    }
    if (this.#holder !== undefined && now - this.#seenAt >= lostMs)
      return { why: `no sign of life for ${Math.round(lostMs / 1000)} s`, suspects: this.#suspects() };
    return undefined;
  }

  #suspects(): readonly Job[] {
    if (this.#holder === undefined && this.#played.size === 0) return [];
    const told = this.playing.map(({ id }) => this.left.get(id) as Job);
    return told.length > 0 ? told : [...this.left.values()].slice(0, this.#workers);
  }
}
