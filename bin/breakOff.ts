/** Ends what never comes back by itself: a loop that does not wait lets no timer of its own thread fire. */

import { Script } from 'node:vm';

/** Name under which the script finds what it is to call. */
const ENTRY = '__rnicVerifyRun';
/** Largest time-out that the engine takes. */
const LONGEST_MS = 0x7fff_ffff;

/**
 * Calls a function and breaks it off when it has not returned after a wall-clock time. The engine has a clock thread for
 * that, which starts in a fraction of a millisecond. Code that is broken off runs no `catch` and no `finally`.
 * @returns true when it was broken off
 * @throws whatever the function throws
 */
export function breakOffAfter(ms: number, body: () => void): boolean {
  const scope = globalThis as Record<string, unknown>;
  const script = new Script(`${ENTRY}()`, { filename: 'run' });
  scope[ENTRY] = body;
  try {
    script.runInThisContext({ timeout: Math.min(Math.max(1, Math.ceil(ms)), LONGEST_MS), displayErrors: false });
    return false;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return true;
    throw error;
  } finally {
    delete scope[ENTRY];
  }
}
