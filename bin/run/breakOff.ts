/** Ends what never comes back by itself: a loop that does not wait lets no timer of its own thread fire. */

import { type RunningScriptOptions, Script } from 'node:vm';

/** Name under which the script finds what it is to call. */
const ENTRY = '__rnicVerifyRun';
/** Largest time-out that the engine takes. */
const LONGEST_MS = 0x7fff_ffff;

/** What broke a function off. */
export type BreakOff = 'time' | 'SIGINT';

const CAUSES: Readonly<Record<string, BreakOff>> = {
  ERR_SCRIPT_EXECUTION_TIMEOUT: 'time',
  ERR_SCRIPT_EXECUTION_INTERRUPTED: 'SIGINT',
};

/**
 * Calls a function and breaks it off when it has not returned after a wall-clock time, or at Ctrl-C. The engine has
 * threads for that, which start in a fraction of a millisecond. Code that is broken off runs no `catch` and no
 * `finally`.
 * @param ms undefined = for as long as it likes
 * @param breakOnSigint false = SIGINT does what it always does
 * @returns why it was broken off; undefined when it returned
 * @throws whatever the function throws
 */
export function breakOffAfter(ms: number | undefined, breakOnSigint: boolean, body: () => void): BreakOff | undefined {
  const scope = globalThis as Record<string, unknown>;
  const script = new Script(`${ENTRY}()`, { filename: 'run' });
  const limited = ms === undefined ? {} : { timeout: Math.min(Math.max(1, Math.ceil(ms)), LONGEST_MS) };
  const options: RunningScriptOptions = { ...limited, breakOnSigint, displayErrors: false };
  scope[ENTRY] = body;
  try {
    script.runInThisContext(options);
    return undefined;
  } catch (error) {
    const cause = error instanceof Error && 'code' in error ? CAUSES[String(error.code)] : undefined;
    if (cause === undefined) throw error;
    return cause;
  } finally {
    delete scope[ENTRY];
  }
}
