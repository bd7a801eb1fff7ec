/** What a message may end with, and why. */

import { expect } from 'chai';
import { WC_STATUS } from '../../../rdma/verbs.ts';
import { CAUSE, OutcomeSet } from '../../../scoreboard/model/outcomes.ts';

describe('causes', () => {
  it('have a bit each', () => {
    const bits = Object.values(CAUSE).map(({ word, bit }) => `${word} ${bit}`);
    expect(new Set(bits).size).to.equal(bits.length);
    for (const { bit } of Object.values(CAUSE)) expect(bit).to.not.equal(0);
  });

  it('permit what they say, and nothing that another one says', () => {
    const outcomes = new OutcomeSet();
    outcomes.allow(CAUSE.refusedInSilence);
    expect(outcomes.has(CAUSE.misled)).to.equal(false);
    expect(
      [WC_STATUS.retryExcErr, WC_STATUS.locProtErr].map((status) => outcomes.permits(status) !== undefined),
    ).to.deep.equal([true, false]);
  });
});
