/**
 * What the engine's compiler may spend, by the work of this process so far. Affects speed alone.
 *
 * When it begins to compile: a single short run is over before compiled code could pay for itself, so that the launcher
 * lets the engine wait long. From about half a second on waiting costs more than it saves, and a process that plays many
 * short runs gets there too.
 *
 * What it inlines: the path of one request runs through a few hundred short functions in many layers, more code than the
 * instruction cache holds, so that a call costs more than what is called. The engine's own limits, meant for pages that
 * run for seconds, leave many calls in place; much higher ones cost short runs more in compiling than they save.
 */

import { setFlagsFromString } from 'node:v8';
import { type RunConfig, sgBytes } from '../../../config/runConfig.ts';

/** Flags of the engine and their values. */
type Limits = Readonly<Record<string, number>>;

/**
 * Bytes of bytecode that may be inlined into one function, those of a function that is inlined even so, and classes that
 * a call tells apart: V8's own limits, and ours.
 */
const SHORT: Limits = {
  'max-inlined-bytecode-size-cumulative': 920,
  'max-inlined-bytecode-size-small': 27,
  'max-valid-polymorphic-map-count': 4,
};
const LONG: Limits = {
  'max-inlined-bytecode-size-cumulative': 4500,
  'max-inlined-bytecode-size-small': 75,
  'max-valid-polymorphic-map-count': 8,
};

/** Bytes of bytecode that a function executes before the engine thinks about compiling it; see scripts/start/program.cjs. */
const SOON: Limits = { 'interrupt-budget': 150_000 };
/** The version of Node that the launcher makes wait. */
const TUNED_NODE = '20.';

/**
 * Packets from which on, by forecast, a run may gain by high limits what compiling under them costs. To raise them when
 * part of a run has been played gained nothing measurable: what counts is compiled by then, and is not compiled again.
 */
const MANY_PACKETS = 1_000_000;
const USUAL_MTU = 4096;

/** Packets' worth of work from which on compiling soon pays, and what bringing up a queue pair is worth. */
const WORTH_COMPILING = 2_500;
const PACKETS_PER_BRING_UP = 20;

/** Packets' worth of work of this process. */
let work = 0;

/** Limits for functions compiled from now on. To be called once for every run, before it is played. */
export function fitEngineLimits(config: RunConfig): void {
  const pairs = pairsOf(config);
  const packets = packetsOf(config, pairs);
  apply(packets < MANY_PACKETS ? SHORT : LONG);
  work += packets + pairs * PACKETS_PER_BRING_UP;
  if (work >= WORTH_COMPILING && process.versions.node.startsWith(TUNED_NODE)) apply(SOON);
}

/** The limits of long runs. */
export function raiseEngineLimits(): void {
  apply(LONG);
}

function apply(limits: Limits): void {
  for (const [flag, value] of Object.entries(limits)) setFlagsFromString(`--${flag}=${value}`);
}

function pairsOf({ values: v }: RunConfig): number {
  return (v.RC_QP_NUM + v.UC_QP_NUM + v.UD_QP_NUM) * v.HOST_NUM;
}

/** Roughly the packets of a run with generated requests. */
function packetsOf({ values: v }: RunConfig, pairs: number): number {
  const requests = (v.SEND_WQE_NUM + v.READ_WQE_NUM + v.WRITE_WQE_NUM) * v.DB_NUM;
  return pairs * requests * Math.max(1, (v.SG_NUM * sgBytes(v)) / USUAL_MTU);
}
