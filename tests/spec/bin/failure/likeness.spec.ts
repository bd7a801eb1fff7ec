import { expect } from 'chai';
import fc from 'fast-check';
import { bytesLikenessesOf, likenessesOf } from '../../../../bin/run/failure/values/likeness.ts';

/** A number in which nothing is alike by chance. */
const RIGHT = 0x1234_5678n;

describe('what a wrong value looks like', () => {
  const looks = (found: bigint, expected = RIGHT, bits = 32): string => likenessesOf(found, expected, bits).join('; ');

  it('is the right one in another order of bytes, words or bits', () => {
    expect(looks(0x7856_3412n)).to.contain('its bytes are reversed');
    expect(looks(0x5678_1234n)).to.contain('its 16-bit words are reversed');
    expect(looks(0x3412_7856n)).to.contain('the bytes of each 16-bit word are swapped');
    expect(looks(0x1e6a_2c48n)).to.contain('its bits are reversed');
    expect(looks(0x89ab_cdef_0123_4567n, 0x0123_4567_89ab_cdefn, 64)).to.contain('its 32-bit words are swapped');
  });

  it('is the right one shifted, cut, sign-extended, inverted, or off by a little', () => {
    expect(looks(0x2345_6780n)).to.contain('shifted left by 4');
    expect(looks(0x48d_159en)).to.contain('shifted right by 2');
    expect(looks(0x5678n)).to.contain('cut at 16 bits');
    expect(looks(0xffff_fff0n, 0xf0n)).to.contain('its low 8 bits, sign-extended');
    expect(looks(0xedcb_a987n)).to.contain('every bit is inverted');
    expect(looks(RIGHT + 1n)).to.contain('one more than the right value');
    expect(looks(RIGHT - 1n)).to.contain('one less than the right value');
    expect(looks(0n, 1n << 24n)).to.contain('zero, as a field that nobody has written');
    expect(looks(0n, 0xff_ffffn, 24), 'a PSN that wraps').to.contain('one more than the right value');
    expect(looks(RIGHT ^ 0x10_0000n)).to.contain('bit 20 is flipped');
    expect(looks(RIGHT + 20n)).to.contain('20 more than the right value');
  });

  it('is nothing for the right one, and says nothing false of any other', () => {
    const word = fc.bigInt({ min: 0n, max: 0xffff_ffffn });
    fc.assert(
      fc.property(word, word, (found, expected) => {
        const said = likenessesOf(found, expected, 32);
        if (found === expected) return said.length === 0;
        const bytes = (value: bigint): string =>
          (value.toString(16).padStart(8, '0').match(/../g) as string[]).join('');
        const reversed = bytes(expected).match(/../g)?.reverse().join('');
        return said.includes('its bytes are reversed') === (bytes(found) === reversed);
      }),
    );
  });

  it('is of data the order, the place or the bit that is wrong', () => {
    const right = Uint8Array.from([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);
    const of = (found: readonly number[]): string => bytesLikenessesOf(Uint8Array.from(found), right).join('; ');
    expect(of([4, 3, 2, 1, 8, 7, 6, 5, 12, 11, 10, 9, 16, 15, 14, 13])).to.contain(
      'the bytes of each word of 4 B are reversed',
    );
    expect(of([4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 0, 0, 0])).to.contain('3 B are missing in front of it');
    expect(of([99, 98, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14])).to.contain('2 B too many are in front of it');
    expect(of([3, 2, ...right.subarray(2)].map((b, i) => (i === 0 ? 3 : i === 1 ? 2 : b)))).to.contain(
      'bit 1 of it is flipped',
    );
    expect(of(new Array<number>(16).fill(0))).to.equal('zeros');
    expect(bytesLikenessesOf(right, right)).to.deep.equal([]);
  });
});
