/** What is alive beside connected pairs of queue pairs. Started as a program, this module plays and prints it as JSON. */

import { fileURLToPath } from 'node:url';
import { queryObjects } from 'node:v8';
import { playSteady } from '../../../bench/steady/playSteady.ts';
import { steadySpec } from '../../../bench/steady/steadySpec.ts';
import type { SteadyCounts } from '../../../bench/steady/steadyTest.ts';

export const FEW = 16;
export const MANY = 144;

/** What is alive when all requests posted so far have completed and have been judged. */
export interface Alive extends SteadyCounts {
  /** Of any class; numbers, and the stores of arrays and maps, do not count. */
  readonly objects: number;
  /** Bytes of objects, numbers and stores, and of typed arrays. */
  readonly heap: number;
  readonly arrays: number;
}

/** With few pairs after two requests of each, with many pairs after one and after two. */
export interface PairCosts {
  readonly few: Alive;
  readonly first: Alive;
  readonly second: Alive;
}

async function pairCosts(): Promise<PairCosts> {
  // What the engine compiles, and what modules make once, counts for neither.
  await play(FEW, []);
  const [few] = (await play(FEW, [2])) as [Alive];
  const [first, second] = (await play(MANY, [1, 2])) as [Alive, Alive];
  return { few, first, second };
}

/** Plays a request on each of some connected pairs, and another one. @returns what is alive after those that are asked for */
async function play(pairs: number, batches: readonly number[]): Promise<readonly Alive[]> {
  const alive: Alive[] = [];
  const spec = steadySpec({ kind: 'send', pairs, perDoorbell: 1, perRound: 1, extra: ['+TEARDOWN=0'] });
  const { run } = await playSteady(spec, (counts) => {
    if (batches.includes(counts.batch)) alive.push(look(counts));
    return counts.batch < 2;
  });
  if (run.verdict !== 'passed') throw new Error(run.message);
  return alive;
}

function look(counts: SteadyCounts): Alive {
  // Collects all garbage, again and again until there is none.
  const objects = queryObjects(Object, { format: 'count' });
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return { ...counts, objects, heap: heapUsed, arrays: arrayBuffers };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(JSON.stringify(await pairCosts()));
