import { expect } from 'chai';
import { regressProgressText } from '../../../../bin/cli/regressProgressText.ts';

const base = { passed: 6, failed: 1, total: 100, elapsedMs: 14_000, playing: [] };

describe('the progress of a regression', () => {
  it('says how many have ended, how fast, and how long those that wait may take', () => {
    expect(regressProgressText(base)).to.equal('6 passed, 1 failed of 100 (7 %), 0.5 runs/s, about 3 min 06 s left');
  });

  it('names the run that has taken longest, and promises nothing of runs that go on', () => {
    const playing = [
      { id: 'fast-s1', wallMs: 900 },
      { id: 'slow-s1', wallMs: 13_400 },
    ];
    const text = regressProgressText({ ...base, total: 9, playing });
    expect(text).to.equal('6 passed, 1 failed of 9 (77 %), 0.5 runs/s, 2 playing, slow-s1 for 13 s');
  });

  it('names no run that is as short as all others, and no rest of less than a second', () => {
    const playing = [{ id: 'fast-s1', wallMs: 20 }];
    const text = regressProgressText({ passed: 700, failed: 0, total: 800, elapsedMs: 700, playing });
    expect(text).to.equal('700 passed, 0 failed of 800 (87 %), 1000 runs/s');
  });

  it('has something to say before the first run has ended', () => {
    const playing = [{ id: 'slow-s1', wallMs: 5000 }];
    const text = regressProgressText({ passed: 0, failed: 0, total: 800, elapsedMs: 6000, playing });
    expect(text).to.equal('0 passed, 0 failed of 800 (0 %), 1 playing, slow-s1 for 5 s');
  });
});
