/**
 * Errors that come late: promises without a handler, and callbacks that the event loop makes, of code that a run has
 * called. A run is synchronous, so that it is over before any of them can throw.
 */

import { AsyncLocalStorage } from 'node:async_hooks';

/** What came of a run with what it left behind. */
export interface Settled<T> {
  readonly value: T;
  /** What has been thrown, in this order. */
  readonly late: readonly unknown[];
}

/** Takes an error of a run that is over; `run` is undefined where nobody knows which. */
export type TakeStray = (error: unknown, run: string | undefined) => void;

/** A run whose errors are awaited. */
interface Owner {
  readonly run: string;
  readonly late: unknown[];
}

/**
 * Two turns of the event loop: the first one may begin behind the timers. With them come all promises, and the timers
 * that are due.
 */
const TURNS = 2;

export class LateErrors {
  /** Callbacks know by it which run has asked for them, however late they are called. */
  readonly #owners = new AsyncLocalStorage<Owner>();
  readonly #takeStray: TakeStray | undefined;
  #current: Owner | undefined;

  /** @param takeStray for errors of runs that are over; default: those end the process as they always do */
  constructor(takeStray?: TakeStray) {
    this.#takeStray = takeStray;
    if (takeStray !== undefined) process.setUncaughtExceptionCaptureCallback(this.#take);
  }

  /**
   * Calls `play`, and waits for what it has left behind that comes at once.
   * @param run name of the run, for `TakeStray`
   * @throws what `play` throws
   */
  async settle<T>(run: string, play: () => T): Promise<Settled<T>> {
    const owner: Owner = { run, late: [] };
    this.#begin(owner);
    try {
      const value = this.#owners.run(owner, play);
      for (let turn = 0; turn < TURNS; turn++) await new Promise((resolve) => void setImmediate(resolve));
      return { value, late: owner.late };
    } finally {
      this.#end();
    }
  }

  #begin(owner: Owner): void {
    this.#current = owner;
    if (this.#takeStray === undefined) process.setUncaughtExceptionCaptureCallback(this.#take);
  }

  #end(): void {
    this.#current = undefined;
    if (this.#takeStray === undefined) process.setUncaughtExceptionCaptureCallback(null);
  }

  /** Microtasks do not know their run: they all come before the next run begins. */
  readonly #take = (error: unknown): void => {
    const owner = this.#owners.getStore() ?? this.#current;
    if (this.#current !== undefined && (owner === this.#current || this.#takeStray === undefined)) {
      this.#current.late.push(reasonOf(error));
    } else this.#takeStray?.(reasonOf(error), owner?.run);
  };
}

/** Node wraps what a promise was rejected with when that is no error. */
function reasonOf(error: unknown): unknown {
  const isWrapped = error instanceof Error && 'code' in error && error.code === 'ERR_UNHANDLED_REJECTION';
  if (!isWrapped) return error;
  return /The promise rejected with the reason "([\s\S]*)"\.$/.exec(error.message)?.[1] ?? error;
}
