import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import fc from 'fast-check';
import { commandLine } from '../../../uvm/cmdline/shellQuote.ts';

describe('commandLine', () => {
  it('leaves plain words as they are', () => {
    expect(commandLine(['./hca_test', '+DATA_CNT=10', '-l', './a/b.log'])).to.equal(
      './hca_test +DATA_CNT=10 -l ./a/b.log',
    );
  });

  it('is read back word for word by a POSIX shell', () => {
    const word = fc.string({ unit: 'grapheme', maxLength: 12 }).filter((s) => !s.includes('\0'));
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 6 }), (words) => {
        const line = commandLine(['printf', '%s\\0', ...words]);
        const { stdout } = spawnSync('sh', ['-c', line], { encoding: 'utf8' });
        expect(stdout.split('\0').slice(0, -1)).to.deep.equal(words);
      }),
      { numRuns: 40 },
    );
  });
});
