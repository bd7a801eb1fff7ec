import { expect } from 'chai';
import fc from 'fast-check';
import { parseDuration } from '../../../../uvm/cmdline/parseDuration.ts';
import { parseInteger } from '../../../../uvm/cmdline/parseInteger.ts';

describe('parseInteger (1800.2 G.2.10)', () => {
  it('accepts every base of the standard', () => {
    const texts = ["'b101", '0b101', "'o17", "'d19", "'hff", "'xff", '0xff', '42', '-7', "-'h10", '1_000'];
    expect(texts.map(parseInteger)).to.deep.equal([5n, 5n, 15n, 19n, 255n, 255n, 255n, 42n, -7n, -16n, 1000n]);
  });

  it('rejects what is no integer', () => {
    for (const text of ['', 'x', '0x', "'b2", '1.5', 'ff', '1e3', "'hxyz", '--1']) {
      expect(parseInteger(text), text).to.equal(undefined);
    }
  });

  it('reads back any integer in decimal and hexadecimal', () => {
    fc.assert(
      fc.property(fc.bigInt(), (n) => {
        const hex = n < 0n ? `-'h${(-n).toString(16)}` : `'h${n.toString(16)}`;
        expect(parseInteger(n.toString())).to.equal(n);
        expect(parseInteger(hex)).to.equal(n);
      }),
    );
  });
});

describe('parseDuration', () => {
  it('counts plain numbers in ns and knows units', () => {
    expect(['5', '5ns', '7ps', '1.5us', '2ms', '1s'].map(parseDuration)).to.deep.equal([5e3, 5e3, 7, 1.5e6, 2e9, 1e12]);
  });

  it('clamps to the largest safe time', () => {
    expect(parseDuration('9200s')).to.equal(Number.MAX_SAFE_INTEGER);
  });

  it('rejects what is no time', () => {
    for (const text of ['', 'ns', '-5', '5 hours', '1e3']) expect(parseDuration(text), text).to.equal(undefined);
  });
});
