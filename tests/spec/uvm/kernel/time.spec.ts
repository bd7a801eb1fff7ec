import { expect } from 'chai';
import * as fc from 'fast-check';
import { formatTime, MS, NS, parseTime, PS, SEC, TimeFormatError, US } from '../../../../uvm/kernel/time.ts';

describe('time', () => {
  it('has units that are a thousand apart', () => {
    expect([PS, NS, US, MS, SEC]).to.deep.equal([1, 1e3, 1e6, 1e9, 1e12]);
  });

  it('writes a time in the largest unit below it', () => {
    const cases: [number, string][] = [
      [0, '0ps'],
      [1, '1ps'],
      [999, '999ps'],
      [1000, '1ns'],
      [1500, '1.5ns'],
      [10 * US, '10us'],
      [US + 1, '1.000001us'],
      [9200 * SEC, '9200s'],
      [Number.MAX_SAFE_INTEGER, '9007.199254740991s'],
    ];
    for (const [ps, text] of cases) expect(formatTime(ps)).to.equal(text);
  });

  it('reads back what it wrote', () => {
    fc.assert(
      fc.property(fc.oneof(fc.maxSafeNat(), fc.nat(2_000_000)), (ps) => {
        expect(parseTime(formatTime(ps))).to.equal(ps);
      }),
    );
  });

  it('reads the spellings people use', () => {
    const cases: [string, number][] = [
      ['10us', 10 * US],
      [' 10 US ', 10 * US],
      ['1.5ns', 1500],
      ['0.001ns', 1],
      ['1e3ns', US],
      ['1.25e2ps', 125],
      ['0', 0],
      ['2s', 2 * SEC],
    ];
    for (const [text, ps] of cases) expect(parseTime(text), text).to.equal(ps);
    expect(parseTime('15', 'ns')).to.equal(15_000);
  });

  it('refuses what is no time, and says why', () => {
    const cases: [string, string][] = [
      ['', 'another form'],
      ['ten us', 'another form'],
      ['-1ns', 'another form'],
      ['1fs', 'another form'],
      ['10', 'unit is missing'],
      ['0.5ps', 'whole number'],
      ['1.0001ns', 'whole number'],
      ['10000s', '2^53'],
      ['1e99s', '2^53'],
    ];
    for (const [text, why] of cases) expect(() => parseTime(text), text).to.throw(TimeFormatError, why);
  });
});
