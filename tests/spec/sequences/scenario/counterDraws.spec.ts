import { expect } from 'chai';
import fc from 'fast-check';
import { CounterDraws } from '../../../../config/scenario/drawn/counterDraws.ts';
import { hash32 } from '../../../../uvm/random/hash.ts';

describe('CounterDraws', () => {
  it('draws hashes of key, place and number, again after each seek', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer(), (key, place) => {
        const draws = new CounterDraws();
        for (let round = 0; round < 2; round++) {
          draws.seek(key, place);
          for (let n = 0; n < 5; n++) expect(draws.uint32()).to.equal(hash32(key, place, n));
        }
      }),
    );
  });

  it('scales a draw to any range by the same rule, small or large', () => {
    const limits = fc.oneof(fc.nat(100_000), fc.nat(2 ** 31 - 1), fc.constantFrom(0, 1, 32767, 32768, 2 ** 32));
    fc.assert(
      fc.property(fc.integer(), fc.integer(), limits, (key, place, n) => {
        const draws = new CounterDraws();
        draws.seek(key, place);
        for (let i = 0; i < 5; i++) expect(draws.below(n)).to.equal(Math.floor((hash32(key, place, i) / 2 ** 32) * n));
      }),
      { numRuns: 2000 },
    );
  });
});
