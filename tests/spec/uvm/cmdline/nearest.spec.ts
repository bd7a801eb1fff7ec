import { expect } from 'chai';
import { didYouMean, nearest } from '../../../../uvm/cmdline/nearest.ts';

describe('nearest', () => {
  const names = ['UVM_VERBOSITY', 'UVM_TIMEOUT', 'QP_NUM', 'PROC_NUM', 'HOST_NUM', 'hca_write_test', 'hca_read_test'];

  it('takes no endless word for a misspelt name', () => {
    const word = 'test_random'.repeat(100_000);
    expect(
      nearest(
        word,
        Array.from({ length: 1000 }, (_, i) => `${word.slice(0, 200)}${i}`),
      ),
    ).to.deep.equal([]);
  });

  it('finds misspellings: a letter too many, too few, wrong, or swapped', () => {
    expect(nearest('UVM_VERBOSTY', names)[0]).to.equal('UVM_VERBOSITY');
    expect(nearest('QP_NMU', names)[0]).to.equal('QP_NUM');
    expect(nearest('hca_wirte_test', names)[0]).to.equal('hca_write_test');
  });

  it('ignores case and separators', () => {
    expect(nearest('uvm-timeout', names)).to.deep.equal(['UVM_TIMEOUT']);
  });

  it('suggests nothing for a word that resembles nothing', () => {
    expect(nearest('BANANA_SPLIT', names)).to.deep.equal([]);
    expect(didYouMean('BANANA_SPLIT', names)).to.equal('');
  });

  it('suggests a name of which the word is half or more', () => {
    expect(nearest('verbosity', names)).to.deep.equal(['UVM_VERBOSITY']);
  });

  it('orders by distance, then by name, and limits the number', () => {
    expect(nearest('A1', ['A3', 'A2', 'A4', 'A5'])).to.deep.equal(['A2', 'A3', 'A4']);
    expect(didYouMean('A1', ['A3', 'A2'])).to.equal('; did you mean A2 or A3?');
  });
});
