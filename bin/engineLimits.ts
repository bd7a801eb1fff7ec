/**
 * What the engine's compiler may spend on a run. The path of one request runs through a few hundred short functions in
 * many layers, more code than the instruction cache holds, so that a call costs more than what is called. The engine's
 * own limits, meant for pages that run for seconds, leave many calls in place; much higher ones cost short runs more in
 * compiling than they save. Affects speed alone.
 */

import { setFlagsFromString } from 'node:v8';
import { type RunConfig, sgBytes } from '../sequences/parameters/runConfig.ts';

/**
 * Bytes of bytecode that may be inlined into one function, those of a function that is inlined even so, and classes that
 * a call tells apart: V8's own limits, and ours.
 */
const SHORT = {
  'max-inlined-bytecode-size-cumulative': 920,
  'max-inlined-bytecode-size-small': 27,
  'max-valid-polymorphic-map-count': 4,
} as const;
const LONG = {
  'max-inlined-bytecode-size-cumulative': 4500,
  'max-inlined-bytecode-size-small': 75,
  'max-valid-polymorphic-map-count': 8,
} as const;

/** Packets from which on a run takes seconds. */
const MANY_PACKETS = 50_000;
const USUAL_MTU = 4096;

/** Limits for functions compiled from now on, by the size of the run. */
export function fitEngineLimits(config: RunConfig): void {
  apply(packetsOf(config) < MANY_PACKETS ? SHORT : LONG);
}

/** The limits of long runs. */
export function raiseEngineLimits(): void {
  apply(LONG);
}

function apply(limits: Readonly<Record<string, number>>): void {
  for (const [flag, value] of Object.entries(limits)) setFlagsFromString(`--${flag}=${value}`);
}

/** Roughly the packets of a run with generated requests. */
function packetsOf(config: RunConfig): number {
  const v = config.values;
  const pairs = (v.RC_QP_NUM + v.UC_QP_NUM + v.UD_QP_NUM) * v.HOST_NUM;
  const requests = (v.SEND_WQE_NUM + v.READ_WQE_NUM + v.WRITE_WQE_NUM) * v.DB_NUM;
  return pairs * requests * Math.max(1, (v.SG_NUM * sgBytes(v)) / USUAL_MTU);
}
