import { expect } from 'chai';
import fc from 'fast-check';
import { LatencyStats } from '../../../../sequences/host/latencyStats.ts';

describe('LatencyStats', () => {
  it('keeps count, extremes and mean exactly, and percentiles within an eighth of an octave', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1e12), { minLength: 1, maxLength: 200 }), (values) => {
        const stats = new LatencyStats();
        for (const v of values) stats.add(v);
        const sorted = [...values].sort((a, b) => a - b);
        expect(stats.count).to.equal(values.length);
        expect([stats.min, stats.max]).to.deep.equal([sorted[0], sorted[sorted.length - 1]]);
        expect(stats.mean).to.be.closeTo(values.reduce((a, b) => a + b, 0) / values.length, 1e-3 * stats.max + 1);
        const median = sorted[Math.ceil(values.length / 2) - 1] as number;
        expect(stats.percentile(0.5)).to.be.within(median - 1, Math.ceil(median * 2 ** (1 / 8)) + 1);
      }),
    );
  });

  it('puts every time into the bucket of its logarithm', () => {
    const largest = 2 ** 40;
    const bound = (ps: number): number => 2 ** ((Math.floor(Math.log2(ps) * 8) + 1) / 8);
    const check = (ps: number): void => {
      const stats = new LatencyStats();
      stats.add(ps);
      stats.add(largest);
      expect(stats.percentile(0.5), `${ps}`).to.equal(Math.round(bound(ps)));
    };
    for (let eighth = 0; eighth < 36 * 8; eighth++) {
      const edge = 2 ** (eighth / 8);
      for (const ps of [Math.floor(edge) - 1, Math.floor(edge), Math.ceil(edge), Math.ceil(edge) + 1]) {
        if (ps >= 1) check(ps);
      }
    }
    fc.assert(fc.property(fc.integer({ min: 1, max: 2 ** 33 }), check));
  });

  it('merges as if all had been added to one', () => {
    const [a, b, both] = [new LatencyStats(), new LatencyStats(), new LatencyStats()];
    for (let i = 1; i < 100; i++) {
      (i % 2 === 0 ? a : b).add(i * 1000);
      both.add(i * 1000);
    }
    a.merge(b);
    expect([a.count, a.min, a.max, a.mean, a.percentile(0.9)]).to.deep.equal([
      both.count,
      both.min,
      both.max,
      both.mean,
      both.percentile(0.9),
    ]);
  });
});
