/** What a poisoned posted write leaves of an atomic: its word, or the list of its requester, holds what nobody can say. */
import { expect } from 'chai';
import { play } from '../tests/harness.ts';

describe('atomics of which a write never reaches memory', () => {
  const random = ['+ATOMIC_PCT=60', '+RC_QP_NUM=3', '+DRAW_WIDE=0', '+DRAW_FAULTS=0', '+DRAW_KNOBS=0'];
  const poisoned = '+PCIE_FAULT=poison kind=write area=data every=3';

  for (const seed of [1, 3, 5]) {
    it(`are judged as far as memory tells, seed ${seed}`, async () => {
      const run = await play('test_random', [...random, poisoned], seed);
      expect(run.verdict, run.log).to.equal('passed');
      expect(run.counts['faults']).to.be.above(5);
    });
  }

  it('excuse no others', async () => {
    const other = '+PCIE_FAULT=poison kind=write area=data host=0 nth=1 optional';
    const run = await play('test_random', [...random, other, '+DUT_FAULT=atomic_new_value'], 4);
    expect(run.verdict, run.log).to.equal('failed');
  });
});
