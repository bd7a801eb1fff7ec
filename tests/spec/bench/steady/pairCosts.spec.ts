/**
 * What a connected pair of queue pairs keeps, and what a request costs, in counts: a run may have 8192 pairs, of which most
 * wait. Whoever makes something dearer raises a limit here, with the reason. Events, transactions and bytes of typed arrays
 * are the same on every machine; objects and their bytes differ by five per cent from run to run, which the limits leave room for.
 */

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { type Alive, FEW, MANY, type PairCosts } from '../../support/pairCosts.ts';

/**
 * In a process of its own, without threads beside it: what others have compiled, and when the engine gets to forget it,
 * would count as well.
 */
function measured(): PairCosts {
  const loader = new URL('../../../../scripts/specs/typescript.mjs', import.meta.url).href;
  const script = fileURLToPath(new URL('../../support/pairCosts.ts', import.meta.url));
  const flags = ['--predictable', '--no-flush-bytecode', '--disable-warning=ExperimentalWarning', '--import', loader];
  return JSON.parse(execFileSync(process.execPath, [...flags, script], { encoding: 'utf8' })) as PairCosts;
}

describe('many connected pairs of queue pairs', () => {
  let few: Alive;
  let first: Alive;
  let second: Alive;

  before(() => {
    ({ few, first, second } = measured());
  });

  const ofPair = (count: (alive: Alive) => number): number => (count(second) - count(few)) / (MANY - FEW);
  const ofRequest = (count: (alive: Alive) => number): number => (count(second) - count(first)) / MANY;

  it('keep so many objects each, and bytes in objects and in typed arrays', () => {
    // Three of them are what the judge knows of the packets that were sent: those of another pair must not push them out.
    expect(ofPair(({ objects }) => objects)).to.be.within(30, 80);
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
    expect(ofRequest(({ objects }) => objects)).to.be.below(2);
    expect(ofRequest(({ heap }) => heap)).to.be.below(1_000);
    expect(ofRequest(({ arrays }) => arrays)).to.be.below(400);
  });
});
