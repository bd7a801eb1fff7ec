/**
 * What the engine's compiler may spend on the run. The path of one request runs through a few hundred short functions
 * in many layers, more code than the instruction cache holds, so that a call costs more than what is called. The
 * engine's own limits, meant for pages that run for seconds, leave many calls in place; much higher ones cost short
 * runs more in compiling than they save. Affects speed alone.
 */

import { setFlagsFromString } from 'node:v8';

const LIMITS = {
  /** Bytes of bytecode that may be inlined into one function (V8: 920). */
  'max-inlined-bytecode-size-cumulative': 3000,
  /** Classes of receiver of a call that are told apart, as those of the scheduler's events are (V8: 4). */
  'max-valid-polymorphic-map-count': 8,
} as const;

/** Raises the limits for functions compiled from now on. */
export function raiseEngineLimits(): void {
  for (const [flag, value] of Object.entries(LIMITS)) setFlagsFromString(`--${flag}=${value}`);
}
