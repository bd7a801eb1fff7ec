import { expect } from 'chai';
import { RegressStop } from '../../../bin/many/regressStop.ts';
import type { Launcher } from '../../../regress/launcher.ts';

function fakeLauncher(): Launcher & { stops: number } {
  return {
    stops: 0,
    run: () => Promise.resolve(),
    playing() {
      return this.stops > 0 ? [] : ['a', 'b'].map((id, i) => ({ id, wallMs: 100 + i }));
    },
    finish: () => {},
    stop() {
      this.stops++;
    },
  };
}

describe('a signal to a regression', () => {
  it('stops the launcher once, and names what was being played, the longest first', () => {
    const launcher = fakeLauncher();
    const before = process.listenerCount('SIGHUP');
    const stop = new RegressStop(launcher);
    expect([stop.by, stop.lines()]).to.deep.equal([undefined, []]);
    process.emit('SIGHUP', 'SIGHUP');
    expect([launcher.stops, stop.by]).to.deep.equal([1, 'SIGHUP']);
    expect(stop.lines()).to.deep.equal([
      'stopped by SIGHUP: b was being played, for 101 ms',
      'stopped by SIGHUP: a was being played, for 100 ms',
    ]);
    expect(process.listenerCount('SIGHUP'), 'a second signal ends the process').to.equal(before);
  });

  it('leaves nothing behind when none came', () => {
    const before = process.listenerCount('SIGINT');
    const stop = new RegressStop(fakeLauncher());
    expect(process.listenerCount('SIGINT')).to.equal(before + 1);
    stop.close();
    expect(process.listenerCount('SIGINT')).to.equal(before);
  });
});
