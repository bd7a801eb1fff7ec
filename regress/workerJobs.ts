/** The jobs of a worker process: plays them one after another and tells the parent what came of each. */

import type { Job } from './job.ts';
import type { FromWorker } from './pool/messages.ts';
import { endAtOnce } from './pool/parentWatch.ts';
import type { PlayedJob, Player, PlayerHost } from './pool/player.ts';

const EXIT_DYING = 1;

export class WorkerJobs implements PlayerHost {
  /** Jobs that have ended. */
  #count = 0;
  #last = '';
  /** The job that is being played, and when it began. */
  #job = '';
  #start = 0;
  /** What that job has thrown since it was judged: told behind its result. */
  #strays: FromWorker[] = [];

  async playAll(player: Player, jobs: readonly Job[], attempt: number): Promise<void> {
    for (const job of jobs) {
      this.#job = job.id;
      await send(await this.#playOne(player, job, attempt));
      this.#job = '';
      this.#count++;
      this.#last = job.id;
      for (const stray of this.#strays.splice(0)) await send(stray);
    }
  }

  /** Messages are written at once as long as none waits, and none does while a job is played. */
  ending(id: string, played: PlayedJob): void {
    if (process.connected) process.send?.({ kind: 'ending', id, played, wallMs: this.#wallMs() } satisfies FromWorker);
  }

  stray(error: unknown, id: string | undefined): void {
    if (id === undefined) this.#die(error);
    else if (id === this.#job) this.#strays.push({ kind: 'stray', id, message: textOf(error) });
    else void send({ kind: 'stray', id, message: textOf(error) });
  }

  #die(error: unknown): void {
    void send({ kind: 'dying', message: `${lineOf(error)}; ${this.#suspects()}` }).then(() => process.exit(EXIT_DYING));
  }

  async #playOne(player: Player, job: Job, attempt: number): Promise<FromWorker> {
    this.#start = performance.now();
    try {
      const played = await player.play(job, attempt);
      return { kind: 'result', id: job.id, played, wallMs: this.#wallMs() };
    } catch (error) {
      return { kind: 'threw', id: job.id, message: textOf(error), wallMs: this.#wallMs() };
    }
  }

  #wallMs(): number {
    return performance.now() - this.#start;
  }

  #suspects(): string {
    if (this.#count === 0) return 'no run of this worker had ended by then';
    if (this.#count === 1) return `it may come from ${this.#last}, which the worker has played before`;
    return `it may come from any of the ${this.#count} runs that the worker has played before, of which ${this.#last} is the last`;
  }
}

/** Sends a message to the parent; resolves when it has been written. Nobody plays for a parent that does not listen. */
export function send(message: FromWorker): Promise<void> {
  return new Promise((resolve) => {
    if (!process.connected) endAtOnce();
    process.send?.(message, (error: Error | null) => (error === null ? resolve() : endAtOnce()));
  });
}

/** An error with its stack. */
export function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function lineOf(error: unknown): string {
  return String(error).split('\n')[0] as string;
}
