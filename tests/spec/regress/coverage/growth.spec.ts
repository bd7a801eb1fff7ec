import { expect } from 'chai';
import { databaseOf } from '../../../../regress/coverage/database.ts';
import { NO_EXCLUSIONS } from '../../../../regress/coverage/exclusions.ts';
import { coverageTree } from '../../../../regress/coverage/coverageTree.ts';
import { growthCsv } from '../../../../regress/coverage/export/growthTable.ts';
import { openBinsPage } from '../../../../regress/coverage/export/openBins.ts';
import type { Hole } from '../../../../regress/coverage/holes.ts';
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

  it('is written as CSV: a line where something new was covered, and the end', () => {
    const curve = growthOf('a,b', database, database, ['a', 'b'], NO_EXCLUSIONS);
    const lines = growthCsv([curve]).split('\n');
    expect(lines[0]).to.equal('curve,runs,seconds,percent');
    expect(lines[1]).to.equal('"a,b",0,0.000,0.000');
    expect(lines.at(-2)).to.equal('"a,b",2,2.000,100.000');
  });
});

describe('The page of open bins', () => {
  it('names every open bin with what it would take, and how many there are of each kind', () => {
    const hole = { comment: 'what was posted', hits: 0, atLeast: 1 };
    const holes: Hole[] = [
      { ...hole, path: 'request_cg.size.huge', command: './hca_test +DATA_CNT=4 --seed 7', why: 'arguments' },
      { ...hole, path: 'request_cg.op.read', command: './hca_test +UVM_TESTNAME=t --seed 8', why: 'nearest run' },
      { ...hole, path: 'state_cg.from.sqd', hits: 1, atLeast: 2, command: '', why: 'not known' },
    ];
    const database = databaseOf([FAULTS], [A, B]);
    const page = openBinsPage(['nightly'], coverageTree(database, NO_EXCLUSIONS), holes);
    expect(page).to.contain(
      'Bins that nightly together leave open: 2 of 2 bins, 100.00 % (weighted 100.00 %), 2 runs.',
    );
    expect(page).to.contain('| `size.huge` | `+DATA_CNT=4` |');
    expect(page).to.contain('| `op.read` | seeds of `+UVM_TESTNAME=t` |');
    expect(page).to.contain('| `from.sqd`, hit 1 of 2 times | a new sequence |');
    expect(page).to.contain('| a new sequence, or a fault: nothing comes near | 1 |');
    expect(page.match(/^## /gm)).to.have.length(2);
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
