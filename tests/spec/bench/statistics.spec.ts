import { expect } from 'chai';
import { holds, quantile, ratios, spreadOf } from '../../../bench/statistics.ts';

describe('bench statistics', () => {
  it('gives median and quartiles by linear interpolation', () => {
    expect(spreadOf([4, 1, 3, 2, 5])).to.deep.equal({ median: 3, low: 2, high: 4 });
    expect(quantile([1, 2], 0.5)).to.equal(1.5);
    expect(quantile([7], 0.25)).to.equal(7);
  });

  it('has no quantile of nothing', () => {
    expect(quantile([], 0.5)).to.be.NaN;
  });

  it('lets a goal hold when the upper half of the rounds, the middle one included, reaches it', () => {
    expect(holds([1, 1, 1, 2, 2, 2, 2], 2, 'at least')).to.equal(true);
    expect(holds([1, 1, 1, 1, 2, 2, 2], 2, 'at least')).to.equal(false);
    expect(holds([1, 1, 3], 2, 'at most')).to.equal(true);
    expect(holds([1, 3, 3], 2, 'at most')).to.equal(false);
    expect(holds([], 2, 'at most')).to.equal(false);
  });

  it('divides round by round and refuses lists of different lengths', () => {
    expect(ratios([4, 9], [2, 3])).to.deep.equal([2, 3]);
    expect(() => ratios([1], [])).to.throw(RangeError, '1 rounds to 0');
  });
});
