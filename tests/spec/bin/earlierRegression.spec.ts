import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { main } from '../../../bin/hcaRegress.ts';
import type { JobResult } from '../../../regress/job.ts';
import { JournalWriter } from '../../../regress/journal.ts';
import type { RegressionReport } from '../../../regress/regression.ts';
import { bundledFile, fakeWorkers } from '../support/bundled.ts';
import { CapturedOutput } from '../support/capturedOutput.ts';
import { fakeRegistry } from '../support/fakeRun.ts';
import { journalLines } from '../support/journalLines.ts';
import { aJob, aPlan, aResult } from '../support/jobs.ts';

const workers = fakeWorkers();
const runner = bundledFile('tests/spec/support/regressRunner.ts');

const LIST = `
defaults: { test: test_random, plusargs: { FAKE: busy } }
tests:
  - { name: good, sweep: { HOST_NUM: [2, 3, 4] }, reseed: 20 }
  - { name: bad, plusargs: { FAKE: fail }, seeds: [7, 8] }
`;

describe('a regression that refers to an earlier one', () => {
  let folder = '';
  let list = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'earlier-'));
    list = join(folder, 'list.yaml');
    writeFileSync(list, LIST);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  async function run(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
    const [out, err] = [new CapturedOutput(), new CapturedOutput()];
    const code = await main(argv, { registry: fakeRegistry(), ...workers, out, err });
    return { code, out: out.text, err: err.text };
  }

  function reportIn(out: string): RegressionReport {
    return JSON.parse(readFileSync(join(out, 'report.json'), 'utf8')) as RegressionReport;
  }

  /** What two regressions with the same runs have in common: all but times, attempts, workers and folders. */
  function essence(out: string): unknown {
    const { results, summary, failures, exitCode, seed, source } = reportIn(out);
    const plain = results.map(
      ({ wallMs: _w, attempts: _a, worker: _n, started: _s, folder: f, log: l, cause, ...rest }) => ({
        ...rest,
        kept: [f !== '', l !== ''],
        cause: cause && { ...cause, page: cause.page !== '' },
      }),
    );
    const families = summary.families.map(({ wallMs: _w, ...rest }) => rest);
    return { plain, families, failures, exitCode, seed, source };
  }

  /** Starts a regression in a process of its own and kills it, and nothing else of it, when so many runs have ended. */
  async function cutOff(out: string, runs: number): Promise<void> {
    const argv = [runner, workers.workerFile, workers.playerUrl, 'run', list, '--out', out, '-j', '2', '--seed', '5'];
    const child = spawn(process.execPath, argv, { stdio: 'ignore' });
    const journal = join(out, 'runs.jsonl');
    const ended = new Promise((resolve) => child.once('exit', resolve));
    const lines = (): number => (existsSync(journal) ? readFileSync(journal, 'utf8').split('\n').length - 1 : 0);
    while (lines() < runs + 1 && child.exitCode === null) await new Promise((resolve) => void setTimeout(resolve, 2));
    child.kill('SIGKILL');
    await ended;
  }

  it('goes on after kill -9: nothing is lost, nothing is played twice, and the report is the same', async () => {
    const whole = join(folder, 'whole');
    await run('run', list, '--out', whole, '-j', '2', '--seed', '5');
    const out = join(folder, 'cut');
    await cutOff(out, 5);
    const before = journalLines(join(out, 'runs.jsonl')).results.map(({ id }) => id);
    expect(before.length).to.be.within(5, 61);
    const resumed = await run('run', '--resume', out, '-j', '2');
    expect(resumed.code, resumed.err).to.equal(1);
    expect(resumed.out).to.match(new RegExp(`62 runs, ${before.length} of them played before, seed 5`));
    const { plans, results, ends } = journalLines(join(out, 'runs.jsonl'));
    expect([plans.length, ends.length, results.length]).to.deep.equal([1, 1, 62]);
    expect(new Set(results.map(({ id }) => id)).size).to.equal(62);
    expect(essence(out)).to.deep.equal(essence(whole));
    expect(reportIn(out).command).to.match(/--seed 5$/);
  });

  /** The journal of a regression of three runs, of which the results are given. */
  function journalOf(...results: JobResult[]): string {
    const out = join(folder, 'o');
    const argv = (n: number, ...more: string[]): string[] => [
      '+UVM_TESTNAME=test_random',
      ...more,
      '--seed',
      String(n),
    ];
    const jobs = [
      aJob({ id: 'good-s1', family: 'good', argv: argv(1) }),
      aJob({ id: 'bad-s7', family: 'bad', argv: argv(7, '+FAKE=fail') }),
      aJob({ id: 'bad-s8', family: 'bad', argv: argv(8, '+FAKE=fail') }),
    ];
    const journal = new JournalWriter(join(out, 'runs.jsonl'), aPlan({ jobs }));
    for (const result of results) journal.result(result);
    journal.close();
    return out;
  }
  const passed = aResult({ id: 'good-s1', family: 'good' });
  const failed = (id: string): JobResult => aResult({ id, family: 'bad', status: 'failed' });

  it('goes on when its last line is torn, and takes away what an unfinished run has left', async () => {
    const out = journalOf(failed('bad-s7'), failed('bad-s8'));
    appendFileSync(join(out, 'runs.jsonl'), JSON.stringify({ kind: 'result', result: passed }).slice(0, 60));
    const left = join(out, 'runs/good-s1');
    mkdirSync(left, { recursive: true });
    writeFileSync(join(left, 'run.json'), '{}');
    const { code, out: said } = await run('run', '--resume', out);
    expect([code, existsSync(left)]).to.deep.equal([1, false]);
    expect(said).to.contain('3 runs, 2 of them played before');
    const { plans, results, ends } = journalLines(join(out, 'runs.jsonl'));
    expect([plans.length, results.map(({ id }) => id), ends[0]?.notRun]).to.deep.equal([
      1,
      ['bad-s7', 'bad-s8', 'good-s1'],
      0,
    ]);
  });

  it('plays nothing where everything has a result, and reports it', async () => {
    const out = journalOf(failed('bad-s7'), failed('bad-s8'), passed);
    expect((await run('run', '--resume', out)).code).to.equal(1);
    expect(reportIn(out).results.map(({ id }) => id)).to.deep.equal(['good-s1', 'bad-s7', 'bad-s8']);
  });

  it('goes on as it was begun, and says so to who wants something else', async () => {
    const { code, err } = await run('run', list, '--resume', folder, '--seed', '3', '--keep', 'all', '+A=1');
    expect(code).to.equal(2);
    for (const word of ['list.yaml', '--seed', '--keep', '+A=1', 'runs.jsonl']) expect(err).to.contain(word);
  });

  it('plays what has failed once more, with further arguments, and leaves the earlier one as it is', async () => {
    const out = journalOf(failed('bad-s7'), failed('bad-s8'));
    const next = join(folder, 'next');
    const before = readFileSync(join(out, 'runs.jsonl'), 'utf8');
    const again = await run('run', '--failed', out, '--out', next, '+UVM_VERBOSITY=UVM_HIGH', '--exclude', '*-s8');
    expect(again.code).to.equal(1);
    expect(reportIn(next).results.map(({ id, replay }) => [id, replay.includes('UVM_HIGH')])).to.deep.equal([
      ['bad-s7', true],
    ]);
    expect(readFileSync(join(out, 'runs.jsonl'), 'utf8')).to.equal(before);
    const dry = await run('run', '--failed', out, '-n');
    expect([...dry.out.matchAll(/# (\S+)/g)].map(([, id]) => id)).to.deep.equal(['bad-s7', 'bad-s8']);
  });

  it('says that nothing has failed, and that runs have no result', async () => {
    const { code, err } = await run('run', '--failed', journalOf(passed));
    expect(code).to.equal(2);
    expect(err).to.match(/no run has failed there, 2 have no result; --resume \S+ goes on with these/);
  });
});
