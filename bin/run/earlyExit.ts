/** Last words for a process that somebody ends, by `process.exit`, in the middle of what it was to do. */

import { EXIT } from './runSpec.ts';

/**
 * Calls `body`. A process that ends before `body` is over says its last words and has the exit code of a harness that
 * could not finish: a stray `process.exit(0)` in a test must not look like a run that passed.
 * @param lastWords takes what happened; must write synchronously
 */
export async function withLastWords<T>(lastWords: (why: string) => void, body: () => T | Promise<T>): Promise<T> {
  const onExit = (asked: number): void => {
    lastWords(`process.exit(${asked}) was called in the middle of the run; a test ends by dropping its objections`);
    process.exitCode = EXIT.infrastructure;
  };
  // First of all listeners: that of the launcher looks for ends of which nobody has said anything.
  process.prependListener('exit', onExit);
  try {
    return await body();
  } finally {
    process.removeListener('exit', onExit);
  }
}
