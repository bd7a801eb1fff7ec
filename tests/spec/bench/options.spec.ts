import { expect } from 'chai';
import { parseOptions } from '../../../bench/options.ts';

const KNOWN = [1, 2, 3];

describe('bench options', () => {
  it('measures everything in seven rounds by default', () => {
    expect(parseOptions([], KNOWN)).to.deep.equal({ goals: KNOWN, rounds: 7, json: false, fast: false });
  });

  it('takes values with a space or an equals sign', () => {
    const expected = { goals: [1, 3], rounds: 3, json: true, fast: true };
    expect(parseOptions(['--goals', '3,1', '--rounds', '3', '--json', '--fast'], KNOWN)).to.deep.equal(expected);
    expect(parseOptions(['--goals=3,1', '--rounds=3', '--json', '--fast'], KNOWN)).to.deep.equal(expected);
  });

  it('refuses goals, rounds and options that do not exist', () => {
    expect(parseOptions(['--goals', '4'], KNOWN)).to.match(/allowed are 1,2,3/);
    expect(parseOptions(['--goals'], KNOWN)).to.match(/allowed are/);
    expect(parseOptions(['--rounds', '0'], KNOWN)).to.match(/from 1/);
    expect(parseOptions(['--quick'], KNOWN)).to.match(/no such option/);
  });
});
