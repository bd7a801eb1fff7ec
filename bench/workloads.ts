/** The steady runs that goals share, and the C reference of each. */

import { compileReference, KERNEL } from './reference/compile.ts';
import type { Contender } from './inTurn.ts';
import { ProgramContender } from './reference/programContender.ts';
import type { BenchContext } from './goal.ts';
import { type SteadySpec, steadySpec } from './steady/steadySpec.ts';

/** Queue pairs of goals 1 to 3. */
export const PAIRS = 64;
/** Requests of one doorbell. */
const PER_DOORBELL = 8;
/** Bytes of a bulk request. */
export const BULK_BYTES = 4096;

const BULK_ROUND = 20_000;
const SMALL_ROUND = 30_000;
const C_BULK_ROUND = 60_000;
const C_SMALL_ROUND = 200_000;

/** A number of requests as `--scale` asks for it, rounded up. */
export function scaled(context: BenchContext, count: number): number {
  return Math.ceil(count * context.scale);
}

/** WRITEs of 4 KiB. */
export function bulkSpec(context: BenchContext, extra: readonly string[] = []): SteadySpec {
  const perRound = scaled(context, BULK_ROUND);
  return steadySpec({ kind: 'write', pairs: PAIRS, perDoorbell: PER_DOORBELL, perRound, extra });
}

/** SENDs of 6 x 10 bytes. `used`: queue pairs that send, default all. */
export function smallSpec(
  context: BenchContext,
  extra: readonly string[] = [],
  pairs: number = PAIRS,
  used: number = pairs,
): SteadySpec {
  const perRound = scaled(context, SMALL_ROUND);
  return steadySpec({ kind: 'send', pairs, used, perDoorbell: PER_DOORBELL, perRound, extra });
}

/** The C reference of the same work. Undefined where it cannot be built. */
export function cReference(context: BenchContext, kind: 'bulk' | 'small', pairs = PAIRS): Contender | undefined {
  const compiled = compileReference(KERNEL, context.scratch);
  if ('missing' in compiled) return undefined;
  const requests = scaled(context, kind === 'bulk' ? C_BULK_ROUND : C_SMALL_ROUND);
  return new ProgramContender(compiled.program, [kind, pairs, requests]);
}

/** Note of a row that has no C reference. */
export const NO_C = `not measured: ${KERNEL.file} needs ${KERNEL.needs}`;
