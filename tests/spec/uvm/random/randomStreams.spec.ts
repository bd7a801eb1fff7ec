import { expect } from 'chai';
import { RandomStreams, RootSeedError } from '../../../../uvm/random/randomStreams.ts';

describe('RandomStreams', () => {
  const streams = new RandomStreams(1, 'base_test');

  it('derives pinned streams', () => {
    expect(streams.stream('top.env', 'payload').uint32()).to.equal(353766534);
    expect(streams.fast('top.env', 'payload').uint32()).to.equal(3552798481);
    expect(streams.key('top.env', 'payload')).to.equal(2541928653);
    expect(new RandomStreams(4294967295, 'x').key('', '', 7)).to.equal(413787516);
  });

  it('gives another stream for each change of seed, test, path, purpose or ordinal', () => {
    const firsts = [
      streams.fast('a', 'b'),
      streams.fast('a', 'b', 1),
      streams.fast('a', 'c'),
      streams.fast('ab', ''),
      streams.fast('d', 'b'),
      new RandomStreams(2, 'base_test').fast('a', 'b'),
      new RandomStreams(1, 'other_test').fast('a', 'b'),
    ].map((s) => s.uint32());
    expect(new Set(firsts).size).to.equal(firsts.length);
  });

  it('does not care what was drawn or derived before', () => {
    const fresh = new RandomStreams(1, 'base_test');
    fresh.stream('noise', 'x').uint32();
    fresh.fast('noise', 'y', 3).uint32();
    expect(fresh.stream('a', 'b').uint32()).to.equal(streams.stream('a', 'b').uint32());
  });

  it('spreads keys of neighbouring ordinals', () => {
    const keys = new Set(Array.from({ length: 10_000 }, (_, i) => streams.key('a', 'b', i)));
    expect(keys.size).to.be.above(9990);
  });

  it('refuses a root seed that is not an unsigned 32-bit integer', () => {
    for (const bad of [-1, 2 ** 32, 0.5, Number.NaN]) {
      expect(() => new RandomStreams(bad, 't'), String(bad)).to.throw(RootSeedError, `${bad}`);
    }
    expect(() => new RandomStreams(0, 't')).to.not.throw();
    expect(() => new RandomStreams(4294967295, 't')).to.not.throw();
  });
});
