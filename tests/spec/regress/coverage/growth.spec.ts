import { expect } from 'chai';
import { databaseOf } from '../../../../regress/coverage/database.ts';
import { NO_EXCLUSIONS } from '../../../../regress/coverage/exclusions.ts';
import { growthPlot } from '../../../../regress/coverage/export/growthPlot.ts';
import { growthOf } from '../../../../regress/coverage/growth.ts';
import { trendOf } from '../../../../regress/coverage/trend.ts';
import { FAULTS, hitting, runNamed, TRAFFIC } from './databases.ts';

const A = runNamed('a', { name: 'a', cpuMs: 500, hits: hitting(FAULTS, { 0: 1 }) });
const B = runNamed('b', { name: 'b', cpuMs: 1500, hits: hitting(FAULTS, { 0: 1, 1: 2 }) });

describe('Growth of coverage', () => {
  const database = databaseOf([FAULTS], [A, B]);

  it('goes by the order in which runs were begun, counts hits of several, and adds up processor time', () => {
    const { points } = growthOf('x', database, database, ['b', 'a'], NO_EXCLUSIONS);
    expect(points).to.deep.equal([
      { runs: 0, seconds: 0, percent: 0 },
      { runs: 1, seconds: 1.5, percent: 50 },
      { runs: 2, seconds: 2, percent: 100 },
    ]);
  });

  it('is a share of the bins of all regressions that are compared', () => {
    const all = databaseOf([FAULTS, TRAFFIC], [A, B]);
    expect(growthOf('x', database, all, ['a', 'b'], NO_EXCLUSIONS).points.at(-1)?.percent).to.equal(12.5);
  });

  it('is drawn as two panels with a curve a regression, which loads nothing', () => {
    const curve = growthOf('plain <1>', database, database, ['a', 'b'], NO_EXCLUSIONS);
    const svg = growthPlot('Growth', [curve, { ...curve, name: 'closure' }]);
    expect([...svg.matchAll(/<polyline /g)]).to.have.length(4);
    expect(svg).to.contain('plain &lt;1&gt;: 100.00 % of bins after 2 runs, 2 s');
    expect(svg.replace('http://www.w3.org/2000/svg', '')).not.to.match(/https?:|<script|href/);
  });
});

describe('The trend of regressions', () => {
  it('says of each what it covers, and what came and went since the one before', () => {
    const step = (name: string, ...runs: (typeof A)[]) => ({
      name,
      database: databaseOf([FAULTS], runs),
      exclusions: NO_EXCLUSIONS,
      failed: 1,
    });
    const C = runNamed('c', { name: 'c', cpuMs: 1000, hits: hitting(FAULTS, { 0: 2 }) });
    expect(trendOf([step('mon', A), step('tue', A, B), step('wed', C)])).to.deep.equal([
      { name: 'mon', runs: 1, failed: 1, bins: 2, covered: 0, gained: 0, lost: 0, seconds: 0.5 },
      { name: 'tue', runs: 2, failed: 1, bins: 2, covered: 2, gained: 2, lost: 0, seconds: 2 },
      { name: 'wed', runs: 1, failed: 1, bins: 2, covered: 1, gained: 0, lost: 1, seconds: 1 },
    ]);
  });
});
