/**
 * What a connected pair of queue pairs keeps, and what a request costs, in counts: a run may have 8192 pairs, of which most
 * wait. Whoever makes something dearer raises a limit here, with the reason. Events, transactions and bytes of typed arrays
 * are the same on every machine; objects and their bytes differ by two per cent from run to run.
 */

import { queryObjects } from 'node:v8';
import { expect } from 'chai';
import { playSteady } from '../../../../bench/steady/playSteady.ts';
import { steadySpec } from '../../../../bench/steady/steadySpec.ts';
import type { SteadyCounts } from '../../../../bench/steady/steadyTest.ts';

const FEW = 16;
const MANY = 144;

/** What is alive when all requests posted so far have completed and have been judged. */
interface Alive extends SteadyCounts {
  /** Of any class; numbers, and the stores of arrays and maps, do not count. */
  readonly objects: number;
  /** Bytes of objects, numbers and stores, and of typed arrays. */
  readonly heap: number;
  readonly arrays: number;
}

/** Plays a request on each of some connected pairs, and another one. @returns what is alive after those that are asked for */
async function play(pairs: number, batches: readonly number[]): Promise<readonly Alive[]> {
  const alive: Alive[] = [];
  const spec = steadySpec({ kind: 'send', pairs, perDoorbell: 1, perRound: 1, extra: ['+TEARDOWN=0'] });
  const { run } = await playSteady(spec, (counts) => {
    if (batches.includes(counts.batch)) alive.push(look(counts));
    return counts.batch < 2;
  });
  expect(run.verdict).to.equal('passed');
  return alive;
}

function look(counts: SteadyCounts): Alive {
  // Collects all garbage, again and again until there is none, and compiled code that has not been used of late.
  const objects = queryObjects(Object, { format: 'count' });
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return { ...counts, objects, heap: heapUsed, arrays: arrayBuffers };
}

describe('many connected pairs of queue pairs', () => {
  let few: Alive;
  let first: Alive;
  let second: Alive;

  before(async () => {
    // What the engine compiles, and what modules make once, counts for neither.
    await play(FEW, []);
    [few] = (await play(FEW, [2])) as [Alive];
    [first, second] = (await play(MANY, [1, 2])) as [Alive, Alive];
  });

  const ofPair = (count: (alive: Alive) => number): number => (count(second) - count(few)) / (MANY - FEW);
  const ofRequest = (count: (alive: Alive) => number): number => (count(second) - count(first)) / MANY;

  it('keep so many objects each, and bytes in objects and in typed arrays', () => {
    // Three of them are what the judge knows of the packets that were sent: those of another pair must not push them out.
    expect(ofPair(({ objects }) => objects)).to.be.within(30, 73);
    expect(ofPair(({ heap }) => heap)).to.be.within(4_000, 17_000);
    expect(ofPair(({ arrays }) => arrays)).to.be.within(4_000, 11_200);
  });

  it('take so many events each, from creation on, with two requests', () => {
    expect(ofPair(({ events }) => events)).to.be.within(100, 226);
  });

  it('take so many events and transactions for a further request', () => {
    expect(ofRequest(({ events }) => events)).to.be.within(10, 19.2);
    expect(ofRequest(({ transactions }) => transactions)).to.be.within(10, 17.1);
  });

  it('keep next to nothing of a request that is over', () => {
    expect(ofRequest(({ objects }) => objects)).to.be.below(0.5);
    expect(ofRequest(({ heap }) => heap)).to.be.below(500);
    expect(ofRequest(({ arrays }) => arrays)).to.be.below(400);
  });
});
