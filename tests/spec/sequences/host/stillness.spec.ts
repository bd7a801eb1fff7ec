import { expect } from 'chai';
import { Stillness } from '../../../../sequences/host/stillness.ts';

describe('Stillness', () => {
  it('counts from the last look at which something had moved or was under way', () => {
    let activity = 5;
    let inFlight = 0;
    const stillness = new Stillness({ activity: () => activity, inFlight: () => inFlight });
    expect(stillness.look(100)).to.equal(0);
    expect(stillness.look(130)).to.equal(30);
    activity++;
    expect(stillness.look(150)).to.equal(0);
    inFlight = 1;
    expect(stillness.look(160)).to.equal(0);
    inFlight = 0;
    expect(stillness.look(175)).to.equal(15);
  });
});
