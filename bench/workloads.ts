/** The steady runs that goals share, and the C reference of each. */

import { compileReference, KERNEL } from './reference/compile.ts';
import type { Contender } from './inTurn.ts';
import { ProgramContender } from './reference/programContender.ts';
import type { BenchContext } from './goal.ts';
import { type SteadyShape, type SteadySpec, steadySpec } from './steady/steadySpec.ts';

/** Queue pairs of goals 1 to 3. */
export const PAIRS = 64;
/** Requests of one doorbell, and queue pairs that send at once: 32 requests in flight, as in the C reference. */
const PER_DOORBELL = 8;
const AT_ONCE = 4;
/** Bytes of a packet of bulk, and of the longer WRITEs: what `ib_write_bw` sends unless it is told otherwise. */
export const PACKET_BYTES = 4096;
export const LONG_BYTES = 65_536;

const BULK_ROUND = 20_000;
const LONG_ROUND = 2000;
const SMALL_ROUND = 30_000;
const C_BULK_ROUND = 60_000;
const C_SMALL_ROUND = 200_000;

/** A number of requests as `--scale` asks for it, rounded up. */
export function scaled(context: BenchContext, count: number): number {
  return Math.ceil(count * context.scale);
}

/** WRITEs of one packet. */
export function bulkSpec(context: BenchContext, extra: readonly string[] = []): SteadySpec {
  const perRound = scaled(context, BULK_ROUND);
  return steadySpec({ kind: 'write', pairs: PAIRS, perDoorbell: PER_DOORBELL, atOnce: AT_ONCE, perRound, extra });
}

/** WRITEs of 16 packets, one of each queue pair at once. */
export function longSpec(context: BenchContext, extra: readonly string[] = []): SteadySpec {
  const perRound = scaled(context, LONG_ROUND);
  return steadySpec({ kind: 'write', pieceBytes: LONG_BYTES, pairs: PAIRS, perDoorbell: 1, perRound, extra });
}

/** SENDs of 6 x 10 bytes. By default as many are in flight as in the C reference. */
export function smallSpec(
  context: BenchContext,
  extra: readonly string[] = [],
  shape: Partial<Pick<SteadyShape, 'pairs' | 'used' | 'atOnce'>> = {},
): SteadySpec {
  const perRound = scaled(context, SMALL_ROUND);
  const usual = { pairs: PAIRS, perDoorbell: PER_DOORBELL, atOnce: AT_ONCE };
  return steadySpec({ kind: 'send', ...usual, ...shape, perRound, extra });
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
