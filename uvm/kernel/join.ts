import { waitFirst } from './anyOf.ts';
import type { Proc, Waitable } from './wait.ts';

/** `ready`: runs, or will at this instant. `parked`: waits. The others are final. @public */
export type ProcessState = 'ready' | 'parked' | 'finished' | 'killed' | 'failed';

/** What joining needs to know of a process. */
export interface Joinable extends Waitable {
  readonly state: ProcessState;
  readonly ended: boolean;
  readonly result: unknown;
  readonly error: unknown;
}

/**
 * Waits until a process has ended and returns its result; undefined when it was killed. Throws what it threw.
 * @public
 */
export function* join(process: Joinable): Proc<unknown> {
  if (!process.ended) yield process;
  if (process.state === 'failed') throw process.error;
  return process.result;
}

/**
 * Waits until one of several processes has ended and returns that process; the others go on. Throws what it threw.
 * @throws RangeError for an empty list
 * @public
 */
export function* joinAny<P extends Joinable>(processes: readonly P[]): Proc<P> {
  let first = processes.find((process) => process.ended);
  if (first === undefined) {
    const { index } = yield* waitFirst(processes);
    first = processes[index] as P;
  }
  if (first.state === 'failed') throw first.error;
  return first;
}

/**
 * Waits until all have ended and returns their results in the order of the list. Throws the first error in it.
 * @public
 */
export function* joinAll(processes: readonly Joinable[]): Proc<unknown[]> {
  const results: unknown[] = [];
  for (const process of processes) results.push(yield* join(process));
  return results;
}
