import { expect } from 'chai';
import { SwallowedReads } from '../../../env/ports/swallowedReads.ts';

describe('SwallowedReads', () => {
  it('count as under way until their NIC gives them up, each by its own time-out', () => {
    const reads = new SwallowedReads((host) => (host === 0 ? 100 : 10));
    expect(reads.countAt(0)).to.equal(0);
    reads.note(0, 5);
    reads.note(1, 6);
    expect([6, 16, 17, 105, 106].map((now) => reads.countAt(now))).to.deep.equal([2, 2, 1, 1, 0]);
  });

  it('are over at once where the NIC does not wait', () => {
    const reads = new SwallowedReads(() => 0);
    reads.note(0, 5);
    expect(reads.countAt(6)).to.equal(0);
  });
});
