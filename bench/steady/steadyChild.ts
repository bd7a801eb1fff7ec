/**
 * The process that a steady run lives in. It brings the system up, warms it up, and then plays one stretch of batches
 * for every line it is given, so that several configurations and the references can be timed in turn while each
 * process stays warm. A run is synchronous, so the waiting is too.
 */

import { readSync, writeSync } from 'node:fs';
import { getHeapCodeStatistics } from 'node:v8';
import { playSteady } from './playSteady.ts';
import type { SteadySpec } from './steadySpec.ts';
import type { BatchObserver, SteadyCounts } from './steadyTest.ts';

/** One measured stretch. Times are of the whole process, in ns. */
export interface Stretch {
  readonly requests: number;
  readonly receives: number;
  readonly checks: number;
  readonly transactions: number;
  /** Processor time, that of the collector and the compiler included. */
  readonly cpu: number;
  readonly wall: number;
  /** Bytes of compiled code and of bytecode that the process has at the end of the stretch. */
  readonly code: number;
  readonly bytecode: number;
}

/** What the child says: once that it is warm, then one line for each stretch, and the verdict at the end. */
export type FromSteady =
  | { readonly kind: 'warm' }
  | { readonly kind: 'stretch'; readonly stretch: Stretch }
  | { readonly kind: 'end'; readonly verdict: string; readonly message: string };

const INPUT = 0;
const OUTPUT = 1;

/** Plays the spec given as JSON. */
export async function main(json: string): Promise<void> {
  const spec = JSON.parse(json) as SteadySpec;
  const { run } = await playSteady(spec, stretches(spec));
  say({ kind: 'end', verdict: run.verdict, message: run.message });
}

interface Mark {
  readonly counts: SteadyCounts;
  readonly cpu: NodeJS.CpuUsage;
  readonly wall: bigint;
}

function stretches(spec: SteadySpec): BatchObserver {
  let from: Mark | undefined;
  return (counts) => {
    if (from === undefined) {
      if (counts.requests < spec.warmUp) return true;
      say({ kind: 'warm' });
    } else {
      if (counts.requests - from.counts.requests < spec.perRound) return true;
      say({ kind: 'stretch', stretch: between(from, counts) });
    }
    const more = askedForMore();
    from = { counts, cpu: process.cpuUsage(), wall: process.hrtime.bigint() };
    return more;
  };
}

function between(from: Mark, counts: SteadyCounts): Stretch {
  const { user, system } = process.cpuUsage(from.cpu);
  return {
    requests: counts.requests - from.counts.requests,
    receives: counts.receives - from.counts.receives,
    checks: counts.checks - from.counts.checks,
    transactions: counts.transactions - from.counts.transactions,
    cpu: (user + system) * 1000,
    wall: Number(process.hrtime.bigint() - from.wall),
    ...codeSizes(),
  };
}

/** The whole process: a warm run compiles little but what is on its path. */
function codeSizes(): Pick<Stretch, 'code' | 'bytecode'> {
  const { code_and_metadata_size: code, bytecode_and_metadata_size: bytecode } = getHeapCodeStatistics();
  return { code, bytecode };
}

function say(message: FromSteady): void {
  writeSync(OUTPUT, `${JSON.stringify(message)}\n`);
}

/** Waits for a byte: 'g' = go on; anything else, or the end of the parent, = end. */
function askedForMore(): boolean {
  const buffer = Buffer.alloc(1);
  return readSync(INPUT, buffer) === 1 && buffer.toString() === 'g';
}
