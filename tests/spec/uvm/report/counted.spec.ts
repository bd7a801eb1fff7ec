import { expect } from 'chai';
import { counted, countedAre } from '../../../../uvm/report/counted.ts';

describe('counted', () => {
  it('has one of a thing, and none or several of the things', () => {
    expect([0, 1, 2].map((n) => counted(n, 'check'))).to.deep.equal(['0 checks', '1 check', '2 checks']);
  });

  it('comes with its verb where that is wanted', () => {
    expect([0, 1, 2].map((n) => countedAre(n, 'check'))).to.deep.equal(['0 checks are', '1 check is', '2 checks are']);
  });
});
