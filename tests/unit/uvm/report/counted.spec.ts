import { expect } from 'chai';
import { counted } from '../../../../uvm/report/counted.ts';

describe('counted', () => {
  it('has one of a thing, and none or several of the things', () => {
    expect([0, 1, 2].map((n) => counted(n, 'check'))).to.deep.equal(['0 checks', '1 check', '2 checks']);
  });
});
