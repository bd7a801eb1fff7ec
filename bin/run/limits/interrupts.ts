/**
 * Ctrl-C and requests to end, for a run that holds the process from start to end, so that no handler of a signal can
 * be called while it goes on.
 *
 * SIGINT breaks the run off where it is (`breakOff.ts`). Other signals are taken by a thread (scripts/start/signalWatch.cjs),
 * which leaves word where the run looks now and then, and sends SIGINT when nobody has looked for a while. The thread
 * is started when a run has gone on for some time: until then these signals end the process as they always do.
 */

import { fileURLToPath } from 'node:url';
import type { Worker } from 'node:worker_threads';
import { projectRoot } from '../../versions.ts';

/** What ends a run with all that it has to say. */
export type Interrupt = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** Their numbers are the same on every system. */
const NUMBERS: Readonly<Record<Interrupt, number>> = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 };
/** Signals that the thread takes, and time after which it sends SIGINT (ms). */
const WATCHED = ['SIGTERM', 'SIGHUP'] as const;
const PATIENCE_MS = 2000;
/** What lets the thread take signals at all, and without a word about it. */
const NODE_FLAGS = ['--expose-internals', '--no-warnings'];
/** Of the shared words: number of the signal that has come; whether the run knows. */
const [SIGNAL, SEEN] = [0, 1];

/** The interrupts of one run. */
export class Interrupts {
  readonly #words = new Int32Array(new SharedArrayBuffer(8));
  #thread: Worker | undefined;

  /** Starts to watch for signals other than SIGINT; further calls do nothing. */
  watch(): void {
    if (this.#thread !== undefined) return;
    // Not imported: most runs are over before they need it.
    const threads = process.getBuiltinModule('node:worker_threads');
    const file = fileURLToPath(new URL('scripts/start/signalWatch.cjs', projectRoot()));
    const signals = WATCHED.map((name) => NUMBERS[name]);
    const workerData = { words: this.#words, signals, patienceMs: PATIENCE_MS };
    this.#thread = new threads.Worker(file, { workerData, execArgv: NODE_FLAGS, env: threads.SHARE_ENV });
    // Without it the signals do what they always did.
    this.#thread.on('error', () => {});
    this.#thread.unref();
  }

  /** The signal that has come, by the word of the thread; undefined = none so far. */
  get seen(): Interrupt | undefined {
    const number = Atomics.load(this.#words, SIGNAL);
    if (number === 0) return undefined;
    Atomics.store(this.#words, SEEN, 1);
    return WATCHED.find((name) => NUMBERS[name] === number);
  }

  /** To be called when the run is over: signals do again what they always did. */
  async close(): Promise<void> {
    Atomics.store(this.#words, SEEN, 1);
    await this.#thread?.terminate();
    this.#thread = undefined;
  }
}

/** Exit code of what a signal has ended: 128 and its number, as shells have it. */
export function exitCodeOfInterrupt(signal: Interrupt): number {
  return 128 + NUMBERS[signal];
}
