import { expect } from 'chai';
import * as fc from 'fast-check';
import { hash128, hash32 } from '../../../../uvm/random/hash.ts';

function popcount(x: number): number {
  let n = 0;
  for (let v = x; v !== 0; v &= v - 1) n++;
  return n;
}

describe('hash128', () => {
  it('gives pinned words for pinned inputs', () => {
    expect(hash128()).to.deep.equal([2921174358, 2785800440, 3588832932, 981704141]);
    expect(hash128('')).to.deep.equal([2415043980, 162799242, 4289256342, 1279443870]);
    expect(hash128(1, 'test', 'uvm_test_top.env', 'payload', 0)).to.deep.equal([
      1155325441, 1010193290, 2037560890, 372869934,
    ]);
    expect(hash128(2 ** 53 - 1, -1, 'é€😀')).to.deep.equal([115426197, 3558418119, 1816566330, 1455730080]);
  });

  it('keeps apart lists that differ only in where they are cut, or in type', () => {
    const lists = [
      ['ab', 'c'],
      ['a', 'bc'],
      ['abc'],
      ['abc', ''],
      ['', 'abc'],
      [1],
      ['1'],
      [1, 0],
      [2 ** 32],
      [2 ** 32 + 1],
      [-1],
    ];
    const seen = new Set(lists.map((list) => hash128(...list).join()));
    expect(seen.size).to.equal(lists.length);
  });

  it('gives four unsigned 32-bit words, different ones for different inputs', () => {
    const part = fc.oneof(fc.string(), fc.maxSafeInteger());
    fc.assert(
      fc.property(fc.array(part), fc.array(part), (a, b) => {
        const x = hash128(...a);
        const y = hash128(...b);
        for (const word of x) expect(word).to.equal(word >>> 0);
        const same = a.length === b.length && a.every((p, i) => Object.is(p === 0 ? 0 : p, b[i] === 0 ? 0 : b[i]));
        expect(x.join() === y.join()).to.equal(same);
      }),
    );
  });

  it('changes about half of all bits for each changed ordinal', () => {
    let changed = 0;
    for (let i = 0; i < 1000; i++) {
      const a = hash128('path', i);
      const b = hash128('path', i + 1);
      for (let w = 0; w < 4; w++) changed += popcount((a[w] as number) ^ (b[w] as number));
    }
    expect(changed / 1000).to.be.within(62, 66);
  });

  it('refuses numbers that are not safe integers', () => {
    for (const bad of [0.5, Number.NaN, Infinity, 2 ** 53])
      expect(() => hash128(bad)).to.throw(RangeError, 'safe integer');
  });
});

describe('hash32', () => {
  it('gives pinned values', () => {
    expect([hash32(0, 0, 0), hash32(1, 2, 3), hash32(-1, 2 ** 31, 5)]).to.deep.equal([
      4059064011, 3756457998, 2251560528,
    ]);
  });

  it('depends on the order of its arguments and lets every input bit reach half of the output bits', () => {
    expect(hash32(1, 2, 3)).to.not.equal(hash32(3, 2, 1));
    for (let bit = 0; bit < 32; bit++) {
      const flips = [0, 0, 0];
      for (let i = 0; i < 200; i++) {
        const base = hash32(i, 7 * i, -i);
        flips[0] = (flips[0] as number) + popcount(base ^ hash32(i ^ (1 << bit), 7 * i, -i));
        flips[1] = (flips[1] as number) + popcount(base ^ hash32(i, (7 * i) ^ (1 << bit), -i));
        flips[2] = (flips[2] as number) + popcount(base ^ hash32(i, 7 * i, -i ^ (1 << bit)));
      }
      for (const sum of flips) expect(sum / 200, `bit ${bit}`).to.be.within(14, 18);
    }
  });
});
