import { expect } from 'chai';
import { LivelockWatch } from '../../../bin/run/limits/livelock.ts';
import { US } from '../../../uvm/kernel/time.ts';

const FLOOD = 10_000;
const MOST_ERRORS = 1_000_000;

describe('the watch for runs that go nowhere', () => {
  /** Looks again and again at a run whose errors grow by a thousand a look. @returns errors at which it was given up */
  function givenUpAt(countsOf: (look: number) => Record<string, number>): number {
    const watch = new LivelockWatch(0);
    for (let look = 1; look <= 2000; look++)
      if (watch.look(look * US, look * 1000, countsOf(look)) !== undefined) return look * 1000;
    return 0;
  }

  it('gives one up soon that does nothing but to check', () => {
    expect(givenUpAt((look) => ({ checks: look, receives_done: 5 }))).to.be.within(FLOOD, 2 * FLOOD);
  });

  it('lets one go on that completes something, but not for ever', () => {
    expect(givenUpAt((look) => ({ checks: look, receives_done: look }))).to.equal(MOST_ERRORS);
  });
});
