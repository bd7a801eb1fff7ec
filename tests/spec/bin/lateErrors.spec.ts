import { expect } from 'chai';
import { LateErrors } from '../../../bin/run/limits/lateErrors.ts';
import { loadRegistry } from '../../../bin/registry.ts';
import { openRun } from '../../../bin/run/runOne.ts';

describe('errors that come late', () => {
  const ofMocha = process.listeners('unhandledRejection');
  // As in the programs, where nobody else takes what promises were rejected with.
  before(() => void process.removeAllListeners('unhandledRejection'));
  after(() => {
    for (const listener of ofMocha) process.on('unhandledRejection', listener);
  });

  const text = (error: unknown): string => (error instanceof Error ? error.message : String(error));

  async function settle(leave: () => void): Promise<string[]> {
    const { late } = await new LateErrors().settle('a', leave);
    return late.map(text);
  }

  it('are those of promises, microtasks, ticks and timers that are due', async () => {
    const fail = (what: string) => (): never => {
      throw new Error(what);
    };
    expect(await settle(() => void Promise.reject(new Error('promise')))).to.deep.equal(['promise']);
    expect(await settle(() => queueMicrotask(fail('microtask')))).to.deep.equal(['microtask']);
    expect(await settle(() => process.nextTick(fail('tick')))).to.deep.equal(['tick']);
    expect(await settle(() => void setImmediate(fail('immediate')))).to.deep.equal(['immediate']);
    const timer = await settle(() => {
      setTimeout(fail('timer'), 0);
      for (const end = performance.now() + 3; performance.now() < end; );
    });
    expect(timer).to.deep.equal(['timer']);
  });

  it('are what a promise was rejected with, also when that is no error', async () => {
    expect(await settle(() => void Promise.reject('a text'))).to.deep.equal(['a text']);
  });

  it('are none where promises are waited for, and what the run throws itself is not one of them', async () => {
    expect(await settle(() => void Promise.reject(new Error('x')).catch(() => {}))).to.deep.equal([]);
    const thrown = await settle(() => {
      throw new Error('at once');
    }).catch(text);
    expect(thrown).to.equal('at once');
    expect(process.hasUncaughtExceptionCaptureCallback()).to.equal(false);
  });

  it('are told with the run that has left them when another one is being played', async () => {
    const strays: string[] = [];
    const errors = new LateErrors((error, run) => void strays.push(`${run}: ${text(error)}`));
    try {
      const first = await errors.settle('first', () => {
        setTimeout(() => {
          throw new Error('late');
        }, 20);
      });
      const second = await errors.settle('second', () => {
        for (const end = performance.now() + 40; performance.now() < end; );
      });
      expect([first.late, second.late, strays]).to.deep.equal([[], [], ['first: late']]);
    } finally {
      process.setUncaughtExceptionCaptureCallback(null);
    }
  });

  it('keep a run from passing, with a message before the summary and the same transcript', async () => {
    const registry = await loadRegistry();
    const log: string[] = [];
    const play = (): ReturnType<typeof openRun> =>
      openRun({ testName: 'test_smoke', seed: 1, plusargs: [] }, registry, { sink: (line) => log.push(line) });
    const good = play().conclude();
    log.length = 0;
    const bad = play().conclude([new TypeError('nobody waited')]);
    expect([good.verdict, bad.verdict, bad.signature?.id]).to.deep.equal(['passed', 'error', 'EXCEPTION']);
    expect(bad.message).to.match(/that nobody waited for: TypeError: nobody waited$/);
    const { atSignature, ...transcript } = bad.transcript;
    expect(transcript).to.deep.equal(good.transcript);
    expect(atSignature).to.equal(transcript.hash);
    expect(bad.counts['UVM_FATAL']).to.equal(1);
    expect(log.join('\n')).to.match(/UVM_FATAL @ .*\[EXCEPTION\][\s\S]*UVM Report Summary[\s\S]*UVM_FATAL : +1/);
  });
});
