/** Corners that meet pairwise. */

import { expect } from 'chai';
import fc from 'fast-check';
import { pairwise } from '../../../../regress/lists/pairwise.ts';

/** Whether two values of two axes stand in a row. */
function meets(rows: readonly (readonly number[])[], a: number, i: number, b: number, j: number): boolean {
  return rows.some((row) => row[a] === i && row[b] === j);
}

describe('pairwise combinations', () => {
  it('have every two values of two axes, and far fewer rows than there are combinations', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 2, maxLength: 8 });
    fc.assert(
      fc.property(sizes, (all) => {
        const rows = pairwise(all);
        for (const [a, n] of all.entries())
          for (const [b, m] of all.entries())
            if (a < b)
              for (let i = 0; i < n; i++) for (let j = 0; j < m; j++) if (!meets(rows, a, i, b, j)) return false;
        return rows.length <= all.reduce((product, size) => product * size, 1);
      }),
    );
    expect(pairwise(Array.from({ length: 27 }, () => 2)).length).to.be.below(24);
  });

  it('leave out what rules forbid, and keep all other pairs', () => {
    const rows = pairwise([2, 2, 2, 3], ([a, b]) => !(a === 0 && b === 0));
    expect(meets(rows, 0, 0, 1, 0)).to.equal(false);
    for (const [i, j] of [
      [0, 1],
      [1, 0],
      [1, 1],
    ] as const)
      expect(meets(rows, 0, i, 1, j)).to.equal(true);
    for (let j = 0; j < 3; j++) for (let i = 0; i < 2; i++) expect(meets(rows, 0, i, 3, j)).to.equal(true);
  });

  it('are all values of one axis where there is no other', () => {
    expect(pairwise([3])).to.deep.equal([[0], [1], [2]]);
    expect(pairwise([])).to.deep.equal([[]]);
  });
});
