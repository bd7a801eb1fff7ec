import { expect } from 'chai';
import { OpenGaps } from '../../../../scoreboard/reference/openGaps.ts';

describe('OpenGaps', () => {
  it('know that a packet is asked for once more, until it is sent or its connection begins anew', () => {
    const gaps = new OpenGaps();
    expect(gaps.any).to.equal(false);
    expect([gaps.askedFor(3, 7), gaps.askedFor(3, 7), gaps.askedFor(4, 7)]).to.deep.equal([false, true, false]);
    gaps.sent(3, 8);
    expect(gaps.askedFor(3, 7)).to.equal(true);
    gaps.sent(3, 7);
    expect(gaps.askedFor(3, 7)).to.equal(false);
    expect([gaps.askedFor(3, 9), gaps.askedFor(3, 9)]).to.deep.equal([false, true]);
    gaps.begin(3);
    gaps.begin(4);
    expect(gaps.any).to.equal(false);
  });
});
