import { expect } from 'chai';
import { ProgressLine } from '../../../../bin/cli/progressLine.ts';

describe('ProgressLine', () => {
  function line(enabled: boolean) {
    const state = { now: 0, text: '' };
    const write = (text: string): void => {
      state.text += text;
    };
    return { state, progress: new ProgressLine({ enabled, quietMs: 2000, now: () => state.now, write }) };
  }

  it('stays silent for short work and without a terminal', () => {
    const { state, progress } = line(true);
    state.now = 1999;
    progress.update(() => 'x');
    progress.clear();
    expect(state.text).to.equal('');
    const piped = line(false);
    piped.state.now = 9999;
    piped.progress.update(() => 'x');
    expect(piped.state.text).to.equal('');
  });

  it('writes over one line, not too often, and takes it away', () => {
    const { state, progress } = line(true);
    for (state.now = 2000; state.now < 2400; state.now += 10) progress.update(() => `at ${state.now}`);
    progress.clear();
    progress.clear();
    expect(state.text).to.equal('\r\x1b[Kat 2000\r\x1b[Kat 2200\r\x1b[K');
  });
});
