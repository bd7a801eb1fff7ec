/** Plays jobs on worker processes of this machine. */

import type { Job, JobResult } from '../job.ts';
import type { Launcher, PlayingJob } from '../launcher.ts';
import { type PoolOptions, WorkerPool } from './workerPool.ts';

export class LocalLauncher implements Launcher {
  readonly #options: Omit<PoolOptions, 'onResult'>;
  #pool: WorkerPool | undefined;

  constructor(options: Omit<PoolOptions, 'onResult'>) {
    this.#options = options;
  }

  run(jobs: readonly Job[], onResult: (result: JobResult) => void): Promise<void> {
    this.#pool = new WorkerPool({ ...this.#options, onResult }, jobs);
    return this.#pool.run();
  }

  playing(): readonly PlayingJob[] {
    return this.#pool?.playing() ?? [];
  }

  finish(): void {
    this.#pool?.finish();
  }

  /** Begins no further jobs, and asks players to end those that are played with what they have. */
  interrupt(): void {
    this.#pool?.interrupt();
  }

  stop(): void {
    this.#pool?.stop();
  }
}
