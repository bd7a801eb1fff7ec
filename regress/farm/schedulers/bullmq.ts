/**
 * Chunks through a queue in Redis, for teams without a scheduler: machines that have time run `hca_regress worker`, which
 * takes chunks out of the queue. BullMQ starts none of them again: the regression alone gives chunks out again.
 */

import { createHash } from 'node:crypto';
import type { Queue } from 'bullmq';
import { z } from 'zod';
import type { ChunkNumber, FarmFolder } from '../farmFolder.ts';
import { type ChunkRange, type ScheduledJob, type Scheduler, SchedulerError } from '../scheduler.ts';

/** What stands in the queue for a chunk. */
export const queuedChunkSchema = z.strictObject({
  session: z.string().max(4096),
  chunk: z.int().min(1).max(999_999_999),
});

/** Where a queue is. */
export interface QueueAddress {
  readonly url: string;
  readonly queue: string;
}

/** States of jobs that wait or run. */
const ALIVE = new Set(['waiting', 'active', 'delayed', 'prioritized', 'waiting-children', 'paused']);
const CONNECT_MS = 10_000;

/** What both ends of a queue connect with. */
export function connectionTo({ url }: QueueAddress): {
  readonly url: string;
  readonly maxRetriesPerRequest: null;
  readonly connectTimeout: number;
} {
  return { url, maxRetriesPerRequest: null, connectTimeout: CONNECT_MS };
}

export class QueueScheduler implements Scheduler {
  readonly name = 'bullmq';
  readonly #farm: FarmFolder;
  readonly #address: QueueAddress;
  #queue: Promise<Queue> | undefined;
  #problem = '';

  constructor(farm: FarmFolder, address: QueueAddress) {
    this.#farm = farm;
    this.#address = address;
  }

  submit({ first, count }: ChunkRange): Promise<readonly ScheduledJob[]> {
    return this.#ask(async (queue) => {
      const chunks = Array.from({ length: count }, (_, i) => (first + i) as ChunkNumber);
      const options = { attempts: 1, removeOnComplete: true, removeOnFail: true };
      await queue.addBulk(
        chunks.map((chunk) => ({
          name: 'chunk',
          data: { session: this.#farm.path, chunk },
          opts: { ...options, jobId: this.#nameOf(chunk) },
        })),
      );
      return chunks.map((chunk) => this.#nameOf(chunk));
    });
  }

  ended(jobs: readonly ScheduledJob[]): Promise<ReadonlySet<ScheduledJob>> {
    return this.#ask(async (queue) => {
      const states = await Promise.all(jobs.map((job) => queue.getJobState(job)));
      return new Set(jobs.filter((_, i) => !ALIVE.has(states[i] as string)));
    });
  }

  /** What is being played hears of it by the order of the session. */
  async cancel(jobs: readonly ScheduledJob[]): Promise<void> {
    if (jobs.length === 0) return;
    await this.#ask((queue) => Promise.all(jobs.map((job) => queue.remove(job).catch(() => 0)))).catch(() => undefined);
  }

  async close(): Promise<void> {
    const queue = await this.#queue?.catch(() => undefined);
    await queue?.close().catch(() => undefined);
  }

  /** The same chunk has the same name: what is handed over twice is there once. */
  #nameOf(chunk: ChunkNumber): ScheduledJob {
    const session = createHash('sha256').update(this.#farm.path).digest('hex').slice(0, 32);
    return `${session}-${chunk}` as ScheduledJob;
  }

  /** @throws SchedulerError when Redis does not answer */
  async #ask<T>(work: (queue: Queue) => Promise<T>): Promise<T> {
    this.#queue ??= this.#open();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const why = (): string => this.#problem || 'no answer';
      timer = setTimeout(() => reject(new SchedulerError(`Redis: ${why()}`)), CONNECT_MS);
    });
    try {
      return await Promise.race([this.#queue.then(work), late]);
    } catch (error) {
      if (error instanceof SchedulerError) throw error;
      throw new SchedulerError(`Redis: ${error instanceof Error ? error.message : String(error)}`);
    } finally {
      clearTimeout(timer);
    }
  }

  async #open(): Promise<Queue> {
    const { Queue: Opened } = await loadBullmq();
    const queue = new Opened(this.#address.queue, { connection: connectionTo(this.#address) });
    // Without a listener an error of the connection would end the process.
    queue.on('error', (error) => {
      this.#problem = error.message;
    });
    return queue;
  }
}

/** @throws SchedulerError where it is not installed */
export async function loadBullmq(): Promise<typeof import('bullmq')> {
  try {
    return await import('bullmq');
  } catch {
    throw new SchedulerError('needs two packages that are not installed: npm install bullmq ioredis');
  }
}
