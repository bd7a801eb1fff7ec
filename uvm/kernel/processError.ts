import type { SimTime } from './scheduler.ts';
import { formatTime } from './time.ts';
import type { Wait } from './wait.ts';

/** An error left a process, and nobody was there to take it. `cause` is what was thrown. @public */
export class ProcessError extends Error {
  readonly path: string;
  readonly time: SimTime;

  constructor(path: string, time: SimTime, cause: unknown) {
    const text = cause instanceof Error ? cause.message : String(cause);
    super(`process ${path} failed at ${formatTime(time)}: ${text}`, { cause });
    this.path = path;
    this.time = time;
  }
}

/** A process yielded something that is no wait, or waited where it may not. @public */
export class ProcessUsageError extends Error {}

/** In which process what was thrown was thrown: it passes through the parents of that one. */
export class ErrorOrigins {
  readonly #paths = new WeakMap<object, string>();

  /** Full name of the process that `error` left first; undefined when it left none. */
  of(error: unknown): string | undefined {
    return typeof error === 'object' && error !== null ? this.#paths.get(error) : undefined;
  }

  /** `error` leaves the process with this full name. */
  note(error: unknown, path: string): void {
    if (typeof error === 'object' && error !== null && !this.#paths.has(error)) this.#paths.set(error, path);
  }
}

/** What a wait waits for, for messages. */
export function describeWait(wait: Wait): string {
  return typeof wait === 'number' ? `a delay of ${formatTime(wait)}` : wait.describe();
}

/** The error for a wait that could not be begun: `error`, unless the value is no wait at all. */
export function badWait(path: string, wait: unknown, error: unknown): unknown {
  const isWait = typeof wait === 'number' || (typeof wait === 'object' && wait !== null && 'park' in wait);
  if (isWait) return error;
  return new ProcessUsageError(
    `process ${path} yielded ${String(wait)}, which is no wait; call what takes time with yield*, never with yield`,
  );
}
