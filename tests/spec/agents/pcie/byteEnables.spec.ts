import { expect } from 'chai';
import fc from 'fast-check';
import { dwordBytes, enablesProblem, naturalFirst, naturalLast } from '../../../../agents/pcie/byteEnables.ts';

describe('byte enables', () => {
  it('are as in the examples of the specification', () => {
    expect([naturalFirst(0, 4), naturalLast(0, 4)]).to.deep.equal([0xf, 0]);
    expect([naturalFirst(1, 2), naturalLast(1, 2)]).to.deep.equal([0b0110, 0]);
    expect([naturalFirst(3, 2), naturalLast(3, 2)]).to.deep.equal([0b1000, 0b0001]);
    expect([naturalFirst(2, 10), naturalLast(2, 10)]).to.deep.equal([0b1100, 0b1111]);
    expect([naturalFirst(5, 0), naturalLast(5, 0)]).to.deep.equal([0, 0]);
  });

  it('enable exactly the bytes of the request', () => {
    fc.assert(
      fc.property(fc.nat(4095), fc.integer({ min: 1, max: 4096 }), (lo, length) => {
        const dwords = dwordBytes(lo, length) / 4;
        const first = ones(naturalFirst(lo, length));
        const last = ones(naturalLast(lo, length));
        expect(dwords === 1 ? first : first + last + 4 * (dwords - 2)).to.equal(length);
        expect(enablesProblem(lo, length, naturalFirst(lo, length), naturalLast(lo, length))).to.equal(null);
        expect(enablesProblem(lo, length, -1, -1)).to.equal(null);
      }),
    );
  });

  it('reject four-bit overflow and an empty request with enables', () => {
    expect(enablesProblem(0, 4, 0x1f, 0)).to.match(/four bits/);
    expect(enablesProblem(0, 0, 1, 0)).to.match(/no byte/);
    expect(enablesProblem(0, 4, 0, 0)).to.match(/no byte is enabled/);
  });
});

function ones(mask: number): number {
  return [0, 1, 2, 3].filter((bit) => (mask >> bit) & 1).length;
}
