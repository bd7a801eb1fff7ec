import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { EVENT } from '../../../env/trace/eventLog.ts';
import { RunRecorder } from '../../../env/trace/runRecorder.ts';
import { main } from '../../../bin/hcaTest.ts';
import { isPlayedTwice, playAgain, type SecondPlay } from '../../../bin/run/secondPlay.ts';
import { LateErrors } from '../../../bin/run/limits/lateErrors.ts';
import type { RunHooks, RunResult, RunSpec } from '../../../bin/run/runSpec.ts';
import { loadCommand } from '../../../bin/run/loadedCommand.ts';
import { parseTestCommand } from '../../../bin/cli/commands/testCommand.ts';
import { limitText } from '../../../bin/run/limits/wallClockLimit.ts';
import { readRunRecord } from '../../../regress/readRunRecord.ts';
import { CapturedOutput } from '../support/capturedOutput.ts';
import { fakeRegistry, fakeResult, opened } from '../support/fakeRun.ts';

const HOOKS: RunHooks = { sink: () => {} };

describe('a second play', () => {
  const spec: RunSpec = { testName: 'test_random', seed: 7, plusargs: ['+FAKE=fail', '+PCAP=x.pcap', '+COV', '+A=1'] };
  const first = fakeResult({ ...spec, plusargs: ['+FAKE=fail', '+A=1'] }, HOOKS);
  const played: RunSpec[] = [];

  function again(second: (spec: RunSpec) => Partial<RunResult>, of = first): Promise<SecondPlay> {
    const command = loadCommand(parseTestCommand(['+UVM_TESTNAME=test_random']));
    const play = opened((asked, hooks) => {
      played.push(asked);
      return { ...fakeResult(asked, hooks), ...second(asked) };
    });
    const lateErrors = new LateErrors();
    return playAgain(of, command, {
      id: 'r',
      spec,
      interrupts: undefined,
      lateErrors,
      firstEvents: new RunRecorder(),
      recorder: new RunRecorder(),
      play: (asked, hooks) => play(asked, undefined as never, hooks),
    });
  }

  it('finds the same where transcript, verdict and first failure are the same, and writes no files', async () => {
    expect((await again(() => ({}))).outcome).to.equal('same');
    expect(played.at(-1)?.plusargs).to.deep.equal(['+FAKE=fail', '+A=1']);
  });

  it('finds a run that does not repeat itself, and says how it went', async () => {
    const transcript = { hash: 'other', events: 98 };
    const passes = await again(() => ({ verdict: 'passed', signature: null, transcript }));
    expect(passes.outcome).to.equal('differs');
    expect(passes.text).to.match(/^played once more, the run passed; 99 and 98 events crossed the ports/);
    const signature = { id: 'HCA_CQE', component: 'x', message: 'else', time: 2000 };
    const other = await again(() => ({ signature, message: '[HCA_CQE] else' }));
    expect(other.text).to.contain('it said [HCA_CQE] else at 2ns; what crossed the ports of the NICs was the same');
  });

  it('says nothing where the second play was ended from outside', async () => {
    const cut = await again(() => ({ interruptedBy: 'SIGTERM', verdict: 'error', message: 'stopped' }));
    expect(cut).to.deep.equal({
      outcome: 'unknown',
      text: 'played once more, the run was ended from outside: stopped',
    });
  });

  it('is for runs that did not pass and were not ended from outside', () => {
    const signature = (id: string, message = limitText(3)) => ({ id, component: 'x', message, time: 0 });
    expect(isPlayedTwice(first)).to.equal(true);
    const givenUp = signature('RUN_LIMIT', 'nothing has been completed or checked since 1us, after 1 error');
    expect(isPlayedTwice({ ...first, endedBy: givenUp })).to.equal(true);
    expect(isPlayedTwice({ ...first, verdict: 'error', signature: signature('EXCEPTION') })).to.equal(true);
    expect(isPlayedTwice({ ...first, verdict: 'passed', signature: null })).to.equal(false);
    for (const id of ['RUN_LIMIT', 'RUN_EXIT', 'INTERRUPTED']) {
      expect(isPlayedTwice({ ...first, verdict: 'error', signature: signature(id) })).to.equal(false);
      expect(isPlayedTwice({ ...first, endedBy: signature(id) })).to.equal(false);
    }
  });
});

describe('a single run that did not pass', () => {
  let out = '';
  beforeEach(() => {
    out = mkdtempSync(join(tmpdir(), 'secondPlay-'));
  });
  afterEach(() => rmSync(out, { recursive: true }));

  /** Its first error comes behind so many events. @returns how often it was played, and what its page is made of */
  async function playedWith(events: number): Promise<[plays: number, source: string | undefined]> {
    let plays = 0;
    const play = opened((spec, hooks) => {
      plays++;
      const log = hooks.recorder?.log;
      for (let i = 0; i < events; i++) log?.say(EVENT.state, 0, i, true, 'one of many');
      log?.errorCame();
      return { ...fakeResult(spec, hooks), verdict: 'failed' as const };
    });
    const said = new CapturedOutput();
    const argv = ['+UVM_TESTNAME=test_random', '+FAKE=fail', '--out', out, '-q'];
    await main(argv, { registry: fakeRegistry(), play, out: said, err: said, env: {} });
    const [folder = ''] = readdirSync(out);
    return [plays, readRunRecord(join(out, folder)).failure?.source];
  }

  it('is played once where its recorder has looked closely at its first error', async () => {
    expect(await playedWith(100)).to.deep.equal([1, 'first play']);
  });

  it('is played once more where the first error came too late for that', async () => {
    expect(await playedWith(70_000)).to.deep.equal([2, 'second play']);
  });
});
