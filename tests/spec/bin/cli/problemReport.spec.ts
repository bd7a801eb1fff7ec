import { expect } from 'chai';
import { problemReport } from '../../../../bin/cli/problemReport.ts';

describe('the report of mistakes', () => {
  it('numbers them, and says that nothing was run', () => {
    expect(problemReport('./hca_test', ['a', 'b'])).to.equal(
      './hca_test: 2 mistakes, nothing was run; ./hca_test --help shows flags and plusargs.\n  1. a\n  2. b',
    );
    expect(problemReport('./hca_test', ['a'])).to.match(/^\.\/hca_test: a\nNothing was run; /);
  });

  it('is short, however many there are and however long', () => {
    const many = problemReport(
      'x',
      Array.from({ length: 20_000 }, (_, i) => `mistake ${i}`),
    ).split('\n');
    expect(many).to.have.length(102);
    expect(many[0]).to.match(/^x: 20000 mistakes/);
    expect(many.at(-1)?.trim()).to.equal('and 19900 more');
    const long = problemReport('x', [`+A=${'y'.repeat(1e6)}: is too much`]);
    expect(long.length).to.be.below(5000);
    expect(long).to.match(/^x: \+A=y+ \.\.\. \(\d+ characters\) \.\.\. y+: is too much\n/);
  });
});
