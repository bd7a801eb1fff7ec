import { expect } from 'chai';
import fc from 'fast-check';
import { ambiguousGroups, databaseOf, merge } from '../../../../regress/coverage/database.ts';
import { coverageTree } from '../../../../regress/coverage/coverageTree.ts';
import { totalsOf } from '../../../../regress/coverage/totals.ts';
import { anyDatabase, FAULTS, hitting, OTHER_FAULTS, runNamed, TRAFFIC } from './databases.ts';

describe('Merging coverage databases', () => {
  it('gives the same in whatever order they come', () => {
    fc.assert(fc.property(anyDatabase(), anyDatabase(), (a, b) => void expect(merge(a, b)).to.deep.equal(merge(b, a))));
  });

  it('gives the same in whatever order it is done', () => {
    fc.assert(
      fc.property(anyDatabase(), anyDatabase(), anyDatabase(), (a, b, c) => {
        expect(merge(merge(a, b), c)).to.deep.equal(merge(a, merge(b, c)));
      }),
    );
  });

  it('counts a run once however often it was measured', () => {
    fc.assert(
      fc.property(anyDatabase(), anyDatabase(), (a, b) => {
        expect(merge(a, a)).to.deep.equal(a);
        expect(merge(merge(a, b), b)).to.deep.equal(merge(a, b));
      }),
    );
  });

  it('adds what different runs have hit', () => {
    const a = databaseOf([FAULTS], [runNamed('a', { hits: hitting(FAULTS, { 0: 1, 1: 5 }) })]);
    const b = databaseOf([FAULTS], [runNamed('b', { hits: hitting(FAULTS, { 0: 1 }) })]);
    const tree = coverageTree(merge(a, b));
    expect(tree.groups[0]?.items[0]?.bins.map(({ name, hits, covered }) => [name, hits, covered])).to.deep.equal([
      ['drop', 2, true],
      ['delay', 5, true],
    ]);
    expect(coverageTree(a).coverage).to.deep.equal({ bins: 2, covered: 1, percent: 50 });
  });

  it('keeps groups of one name apart that have other bins, and names them', () => {
    const both = databaseOf([FAULTS, OTHER_FAULTS, TRAFFIC], []);
    expect(both.groups).to.have.length(3);
    expect(ambiguousGroups(both)).to.deep.equal(['faults_cg']);
    expect(totalsOf(both).size).to.equal(3);
  });
});
