import { expect } from 'chai';
import { bins, binArray, illegal } from '../../../../uvm/coverage/binSpec.ts';
import { covergroup, type Covergroup } from '../../../../uvm/coverage/covergroup.ts';
import { CoverageCollector } from '../../../../uvm/coverage/coverageCollector.ts';
import type { GroupOptions } from '../../../../uvm/coverage/options.ts';
import { groupKey, modelHash } from '../../../../uvm/coverage/model.ts';
import { Run } from '../../../../uvm/run.ts';
import { namedHits } from './sampling.ts';

function group(options: GroupOptions = {}, name = 'cg'): Covergroup<number> {
  return covergroup<number>(name, options, (g) => {
    const v = g.coverpoint('v', (n) => n, binArray('v', [[0, 3]]), { weight: 3 });
    const odd = g.coverpoint('odd', (n) => n & 1, [bins('even', 0), bins('odd', 1)], { atLeast: 2 });
    g.cross('x', [v, odd], { weight: 0 });
  });
}

describe('The coverage of a run', () => {
  const collector = (): CoverageCollector => new CoverageCollector(() => {});

  it('adds the instances of a covergroup', () => {
    const run = collector();
    const cg = group();
    run.create(cg, 'hca0').sample(1);
    run.create(cg, 'hca1').sample(1);
    expect(namedHits(run, 'cg')).to.deep.equal({ 'v.v[1]': 2, 'odd.odd': 2, 'x.<v[1],odd>': 2 });
  });

  it('counts instances apart besides where the covergroup says so', () => {
    const run = collector();
    const cg = group({ perInstance: true });
    run.create(cg, 'hca0').sample(1);
    const second = run.create(cg, 'hca1');
    for (const n of [0, 1, 2, 3]) second.sample(n);
    expect(run.hits().map(({ group: known }) => groupKey(known))).to.deep.equal(['cg', 'cg@hca0', 'cg@hca1']);
    expect(run.coverage('cg', 'hca0')?.covered).to.equal(2);
    expect(run.coverage('cg', 'hca1')?.covered).to.equal(10);
    expect(namedHits(run, 'cg')['v.v[1]']).to.equal(2);
    expect(() => run.create(cg, 'hca1')).to.throw("cg has two instances called 'hca1'");
  });

  it('is the weighted mean of items, of which each has its share of bins with enough hits', () => {
    const run = collector();
    const instance = run.create(group());
    for (const n of [0, 2, 3]) instance.sample(n);
    // v: 3 of 4 bins, weight 3; odd: even twice, odd once of two needed, weight 1; the cross counts bins only.
    const coverage = run.coverage('cg');
    expect(coverage?.percent).to.equal((3 * 75 + 1 * 50) / 4);
    expect([coverage?.covered, coverage?.bins]).to.deep.equal([3 + 1 + 3, 4 + 2 + 8]);
  });

  it('is unknown of groups that nobody made', () => {
    expect(collector().coverage('cg')).to.equal(undefined);
  });

  it('refuses two covergroups of one name', () => {
    const run = collector();
    run.create(group());
    expect(() => run.create(group())).to.throw("there are two covergroups called 'cg'");
  });
});

describe('A run', () => {
  it('reports illegal hits as its errors, with the coverage on, and none with it off', () => {
    const errors = (coverage: boolean): string[] => {
      const lines: string[] = [];
      const run = new Run({ seed: 1, testName: '', coverage, sink: (line) => lines.push(line) });
      const cg = covergroup<number>('cg', {}, (g) =>
        g.coverpoint('v', (n) => n, [bins('a', 1), illegal(bins('bad', 2))]),
      );
      run.coverage.create(cg).sample(2);
      return lines;
    };
    expect(errors(true)).to.deep.equal([
      "UVM_ERROR @ 0ns: coverage [COV_ILLEGAL_BIN] cg.v is 2: hits illegal bin 'bad'",
    ]);
    expect(errors(false)).to.deep.equal([]);
  });
});

describe('The hash of a covergroup', () => {
  it('depends on names and bins, and on nothing that only says how much they count', () => {
    expect(group().model.hash).to.match(/^[0-9a-f]{32}$/);
    expect(group({ comment: 'other', weight: 2, goal: 50 }).model.hash).to.equal(group().model.hash);
    expect(group({}, 'other').model.hash).to.not.equal(group().model.hash);
    const changed = covergroup<number>('cg', {}, (g) => g.coverpoint('v', (n) => n, binArray('v', [[0, 4]])));
    expect(changed.model.hash).to.not.equal(group().model.hash);
  });

  it('of a model depends on no order of its groups', () => {
    const [a, b] = [group().model, group({}, 'other').model];
    expect(modelHash([a, b])).to.equal(modelHash([b, a]));
    expect(modelHash([a])).to.not.equal(modelHash([a, b]));
  });
});
