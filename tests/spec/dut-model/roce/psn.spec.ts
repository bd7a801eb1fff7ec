import { expect } from 'chai';
import fc from 'fast-check';
import { psnAdd, psnCmp } from '../../../../dut-model/roce/psn.ts';

const psn = fc.oneof(
  fc.integer({ min: 0, max: 0xffffff }),
  fc.constantFrom(0, 1, 0x7fffff, 0x800000, 0xfffffe, 0xffffff),
);

describe('psn', () => {
  it('compares at the edges that roce-transport.md T-016 names', () => {
    expect(psnCmp(5, 5)).to.equal(0);
    expect(psnCmp(6, 5)).to.equal(1);
    expect(psnCmp(5, 6)).to.equal(-1);
    expect(psnCmp(0, 0xffffff)).to.equal(1);
    expect(psnCmp(0x7fffff, 0)).to.equal(0x7fffff);
    expect(psnCmp(0x800000, 0)).to.equal(-0x800000);
  });

  it('gives back the distance that was added, up to half the circle', () => {
    fc.assert(fc.property(psn, fc.integer({ min: -0x800000, max: 0x7fffff }), (a, n) => psnCmp(psnAdd(a, n), a) === n));
  });

  it('is antisymmetric but for the exact half', () => {
    fc.assert(fc.property(psn, psn, (a, b) => psnCmp(a, b) === -0x800000 || psnCmp(a, b) === -psnCmp(b, a)));
  });
});
