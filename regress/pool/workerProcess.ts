/** One worker process as the pool sees it: a batch of jobs in, results out, a clock on the job being played. */

import { type ChildProcess, fork } from 'node:child_process';
import type { Job } from '../job.ts';
import type { FromWorker, ToWorker } from './messages.ts';

/** The clock of a job looks so often (ms) whether it is over. */
const PIECE_MS = 250;

/** Characters of standard error kept to explain a crash. */
const ERROR_TAIL = 4000;

/** Half of the young generation in MiB, as Node 20 has it: later versions let it grow further, for no gain in time. */
const SEMI_SPACE_MB = 16;

/** How the process is started. */
export interface WorkerOptions {
  /** Compiled or source path of `regress/worker`. */
  readonly workerFile: string;
  /** Heap limit in MiB. */
  readonly heapMb: number;
  /** Further arguments for Node: none for what is built. */
  readonly nodeArguments: readonly string[];
  /**
   * Seconds beyond the limit of a job in which its player may end it by itself, with all it has to say; after a third of
   * them it gets SIGINT. Default 0.
   */
  readonly graceSeconds?: number;
}

/** What the pool hears of its workers. */
export interface WorkerEvents {
  message(worker: WorkerProcess, message: FromWorker): void;
  /** The process is gone; `why` is for the user. */
  ended(worker: WorkerProcess, why: string): void;
  /** The job at the head of the queue has used up its wall-clock time; the process has been killed. */
  overdue(worker: WorkerProcess): void;
}

export class WorkerProcess {
  readonly index: number;
  /** Jobs handed over and not yet answered; the first is being played. */
  readonly queue: Job[] = [];
  /** Time (ms of `performance.now`) at which the first job of the queue began. */
  startedAt = 0;
  ready = false;
  /** Why the process ends, in its own words. */
  lastWords: string | undefined;
  /** Set before the pool kills the process on purpose, so that its end is not taken for a crash. */
  retired = false;
  readonly #child: ChildProcess;
  readonly #events: WorkerEvents;
  readonly #grace: number;
  #tail = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(index: number, options: WorkerOptions, events: WorkerEvents) {
    this.index = index;
    this.#events = events;
    this.#grace = options.graceSeconds ?? 0;
    this.#child = fork(options.workerFile, [String(process.pid)], {
      execArgv: [...options.nodeArguments, ...heapFlags(options.heapMb)],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#child.stderr?.on('data', (chunk: Buffer) => {
      this.#tail = (this.#tail + chunk.toString()).slice(-ERROR_TAIL);
    });
    this.#child.on('message', (message) => this.#events.message(this, message as FromWorker));
    // `close`, not `exit`: all messages and all of standard error have arrived by then.
    this.#child.on('close', (code, signal) => this.#close(code, signal));
    this.#child.on('error', (error) => {
      this.#tail += error.message;
    });
  }

  send(message: ToWorker): void {
    if (this.#child.connected) this.#child.send(message);
  }

  /** Hands over a batch; the clock of its first job starts. @param attempt 1, or more for a job whose process has died */
  play(jobs: readonly Job[], attempt: number, limitOf: (job: Job) => number): void {
    this.queue.push(...jobs);
    this.send({ kind: 'play', jobs, attempt });
    this.startClock(limitOf);
  }

  /** Restarts the clock for the job that is now first, if any. `limitOf` gives seconds, 0 = no limit. */
  startClock(limitOf: (job: Job) => number): void {
    this.#stopClock();
    this.startedAt = performance.now();
    const job = this.queue[0];
    const seconds = job === undefined ? 0 : limitOf(job);
    if (seconds > 0) this.#countDown((seconds + this.#grace / 3) * 1000, () => this.#due());
  }

  /**
   * Time counts piece by piece: while this process is stopped (Ctrl-Z), it hears nothing of a worker that goes on, and what
   * the worker has said meanwhile comes behind the timers that are due.
   * @param left time that the job still has (ms)
   * @param then what is done when it is over
   */
  #countDown(left: number, then: () => void): void {
    const piece = Math.min(left, PIECE_MS);
    this.#timer = setTimeout(() => {
      if (left > piece) this.#countDown(left - piece, then);
      else setImmediate(() => this.#timer !== undefined && then());
    }, piece);
  }

  /** The player may be in the middle of what never looks at a clock: SIGINT breaks it off. */
  #due(): void {
    if (this.#grace === 0) this.#overdue();
    else {
      this.#child.kill('SIGINT');
      this.#countDown((this.#grace * 2000) / 3, () => this.#overdue());
    }
  }

  /** Asks the player to end what it plays with what it has; few players can. */
  interrupt(): void {
    this.#child.kill('SIGINT');
  }

  /** Ends the process at once, whatever it does. */
  kill(): void {
    this.retired = true;
    this.#stopClock();
    this.#child.kill('SIGKILL');
  }

  #stopClock(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #overdue(): void {
    this.kill();
    this.#events.overdue(this);
  }

  #close(code: number | null, signal: NodeJS.Signals | null): void {
    this.#stopClock();
    if (this.retired) return;
    this.retired = true;
    this.#events.ended(this, deathOf(code, signal, this.lastWords ?? lastError(this.#tail), this.#tail));
  }
}

function heapFlags(heapMb: number): string[] {
  return [`--max-old-space-size=${heapMb}`, `--max-semi-space-size=${SEMI_SPACE_MB}`];
}

function deathOf(code: number | null, signal: NodeJS.Signals | null, error: string, tail: string): string {
  if (/heap out of memory/i.test(tail)) return 'the process ran out of memory';
  const how = signal === null ? `the process ended with exit code ${code}` : `the process was killed by ${signal}`;
  return error === '' ? how : `${how}: ${error}`;
}

/** The line that says what was wrong: the one above a stack, or else the last. Node ends with its version. */
function lastError(tail: string): string {
  const lines = tail.split('\n').filter((line) => line.trim() !== '' && !/^Node\.js v\d/.test(line));
  const above = lines.findLast((line, i) => /^\S/.test(line) && /^\s+at /.test(lines[i + 1] ?? ''));
  return above ?? lines.at(-1) ?? '';
}
