import { expect } from 'chai';
import fc from 'fast-check';
import { bins, binArray, transitions } from '../../../../uvm/coverage/binSpec.ts';
import { covergroup } from '../../../../uvm/coverage/covergroup.ts';
import { CoverageCollector } from '../../../../uvm/coverage/coverageCollector.ts';
import { Tally } from '../../../../uvm/coverage/tally.ts';
import { namedHits } from './sampling.ts';

describe('Samples that are tallied', () => {
  const group = covergroup<number>('cg', {}, (g) => {
    const low = g.coverpoint('low', (n) => n & 7, binArray('v', [[0, 7]]));
    const high = g.coverpoint('high', (n) => n >>> 3, [bins('none', 0), bins('some', [1, 2 ** 29])]);
    g.cross('x', [low, high]);
  });

  it('are counted as if each had been sampled', () => {
    const key = fc.oneof(fc.nat(20), fc.integer());
    fc.assert(
      fc.property(fc.array(key, { maxLength: 3000 }), (keys) => {
        const [direct, tallied] = [new CoverageCollector(() => {}), new CoverageCollector(() => {})];
        const [one, other] = [direct.create(group), tallied.create(group)];
        const tally = new Tally();
        tallied.beforeHits(() => tally.flush((k, times) => other.sample(k, times)));
        for (const k of keys) {
          one.sample(k);
          tally.count(k);
        }
        expect(namedHits(tallied, 'cg')).to.deep.equal(namedHits(direct, 'cg'));
        expect(tallied.hits()).to.deep.equal(direct.hits());
      }),
      { numRuns: 20 },
    );
  });

  it('are handed over once, and counted anew after that', () => {
    const tally = new Tally();
    const seen: [number, number][] = [];
    tally.count(-5);
    tally.count(-5);
    tally.flush((key, times) => seen.push([key, times]));
    tally.count(-5);
    tally.flush((key, times) => seen.push([key, times]));
    expect(seen).to.deep.equal([
      [-5, 2],
      [-5, 1],
    ]);
  });

  it('of a covergroup with transitions are taken one after another', () => {
    const run = new CoverageCollector(() => {});
    const steps = covergroup<number>('cg', {}, (g) => g.coverpoint('v', (n) => n, transitions('twice', [1, 1])));
    run.create(steps).sample(1, 3);
    expect(namedHits(run, 'cg')).to.deep.equal({ 'v.twice': 2 });
  });
});

describe('Coverage that is off', () => {
  it('takes samples and has nothing to tell', () => {
    const off = new CoverageCollector(null);
    off.create(covergroup<number>('cg', {}, (g) => g.coverpoint('v', (n) => n, bins('a', 1)))).sample(1);
    expect([off.enabled, off.hits()]).to.deep.equal([false, []]);
  });
});
