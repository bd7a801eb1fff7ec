import { expect } from 'chai';
import { lengthText } from '../../../scoreboard/model/names.ts';
import { LONGEST_KNOWN } from '../../../scoreboard/model/work.ts';

describe('the names of requests', () => {
  it('say of lists of 4 GiB and more that they may be longer', () => {
    expect(lengthText(LONGEST_KNOWN - 1)).to.equal('4294967294 B');
    expect(lengthText(LONGEST_KNOWN)).to.equal('4294967295 B or more');
  });
});
