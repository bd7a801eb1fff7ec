import { expect } from 'chai';
import { shortText } from '../../../regress/shortText.ts';

describe('shortText', () => {
  it('leaves messages as they are and says how much of an endless one is missing', () => {
    expect(shortText('byte 3 differs')).to.equal('byte 3 differs');
    expect(shortText('x'.repeat(4000))).to.have.length(4000);
    const short = shortText('x'.repeat(5_000_000));
    expect(short).to.match(/^x{4000} \[4996000 more characters in the log\]$/);
  });
});
