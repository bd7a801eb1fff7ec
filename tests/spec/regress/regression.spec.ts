import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Budget } from '../../../regress/budget.ts';
import type { Job, JobResult } from '../../../regress/job.ts';
import type { Launcher, PlayingJob } from '../../../regress/launcher.ts';
import { PoolError } from '../../../regress/pool/workerPool.ts';
import { readJournal } from '../../../regress/readJournal.ts';
import { type RegressionOptions, runRegression } from '../../../regress/regression.ts';
import { journalLines } from '../support/journalLines.ts';
import { aJob, aPlan, aResult } from '../support/jobs.ts';

/** Ends every job at once, until it is stopped. */
class FakeLauncher implements Launcher {
  #stopped = false;
  readonly #most: number;

  /** @param most results after which it is stopped from outside */
  constructor(most = Number.POSITIVE_INFINITY) {
    this.#most = most;
  }

  async run(jobs: readonly Job[], onResult: (result: JobResult) => void): Promise<void> {
    for (const [i, { id }] of jobs.entries()) if (!this.#stopped && i < this.#most) onResult(aResult({ id }));
  }

  playing(): readonly PlayingJob[] {
    return [];
  }

  finish(): void {
    this.#stopped = true;
  }

  stop(): void {
    this.#stopped = true;
  }
}

describe('runRegression', () => {
  let out = '';
  beforeEach(() => {
    out = mkdtempSync(join(tmpdir(), 'regression-'));
  });
  afterEach(() => rmSync(out, { recursive: true }));

  function options(changes: Partial<RegressionOptions> = {}): RegressionOptions {
    const jobs = [1, 2, 3, 4].map((n) => aJob({ id: `f/${n}` }));
    return { plan: aPlan({ source: 'x.yaml', jobs }), launcher: new FakeLauncher(), out, ...changes };
  }

  it('leaves journal and reports, and nothing else', async () => {
    const { report, lost } = await runRegression(options());
    expect([report.exitCode, lost]).to.deep.equal([0, []]);
    expect(readdirSync(out).sort()).to.deep.equal(['junit.xml', 'report.json', 'runs.jsonl']);
  });

  it('passes when a limit kept runs from being begun and the others have passed', async () => {
    const budget = new Budget({ maxFailures: 1 });
    let ended = 0;
    const onResult = (): void => {
      if (++ended === 2) budget.count(aResult({ status: 'error' }));
    };
    const failing = await runRegression(options({ budget, onResult }));
    expect([failing.report.exitCode, failing.report.stoppedBy]).to.deep.equal([0, '--max-failures 1']);
    expect([failing.report.results.length, failing.report.summary.notRun]).to.deep.equal([2, 2]);
  });

  it('goes on with what has no result, and reports all of it', async () => {
    const launcher = new FakeLauncher();
    await runRegression(options({ launcher: new FakeLauncher(2) }));
    const path = join(out, 'runs.jsonl');
    const { results, wholeBytes } = readJournal(out);
    const { report } = await runRegression(
      options({ launcher, earlier: { results: [...results.values()], wholeBytes } }),
    );
    expect([report.results.length, report.interrupted, report.exitCode]).to.deep.equal([4, false, 0]);
    expect(journalLines(path).plans).to.have.length(1);
    expect(journalLines(path).results.map(({ id }) => id)).to.have.members(['f/1', 'f/2', 'f/3', 'f/4']);
  });

  it('says at the end of its journal how it ended, also when it was stopped', async () => {
    await runRegression(options());
    const path = join(out, 'runs.jsonl');
    const [end] = journalLines(path).ends;
    expect([end?.notRun, end?.exitCode]).to.deep.equal([0, 0]);
    expect(readFileSync(path, 'utf8').trimEnd().split('\n').at(-1)).to.match(/^{"kind":"end"/);
    rmSync(path);
    await runRegression(options({ launcher: new FakeLauncher(3), stopCode: () => 130 }));
    expect(journalLines(path).ends.map(({ notRun, exitCode }) => [notRun, exitCode])).to.deep.equal([[1, 130]]);
  });

  it('leaves a journal without an end when it is cut off', async () => {
    const launcher = new FakeLauncher();
    launcher.run = () => Promise.reject(new Error('no worker begins'));
    await runRegression(options({ launcher })).catch(() => undefined);
    expect(journalLines(join(out, 'runs.jsonl'))).to.deep.include({ results: [], ends: [] });
  });

  it('reports what is known, with the code of a failure, when workers can be started no more', async () => {
    const launcher = new FakeLauncher();
    launcher.run = (_jobs, onResult) => {
      onResult(aResult({ id: 'f/1' }));
      onResult(aResult({ id: 'f/2', status: 'failed' }));
      return Promise.reject(new PoolError('workers die before they can play anything: exit code 1'));
    };
    const { report, lost } = await runRegression(options({ launcher }));
    expect(lost).to.deep.equal(['the regression was stopped: workers die before they can play anything: exit code 1']);
    expect([report.results.length, report.summary.notRun, report.exitCode]).to.deep.equal([2, 2, 1]);
    expect(readdirSync(out).sort()).to.deep.equal(['junit.xml', 'report.json', 'runs.jsonl']);
    const { results, ends } = journalLines(join(out, 'runs.jsonl'));
    expect(results).to.have.length(2);
    expect(ends.map(({ notRun, exitCode }) => [notRun, exitCode])).to.deep.equal([[2, 1]]);
  });

  it('stops when a result cannot be written down, and reports what it has', async () => {
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), {
      code: 'ENOSPC',
      syscall: 'write',
    });
    let room = 2;
    const result = (): void => {
      if (room-- === 0) throw full;
    };
    const end = (): never => expect.fail('the journal lacks a result and says that it has ended');
    const { report, lost } = await runRegression(options({ newJournal: () => ({ result, end, close: () => {} }) }));
    expect(lost).to.deep.equal([`${out}/runs.jsonl: no space left on device; the regression was stopped`]);
    expect([report.results.length, report.summary.notRun, report.exitCode]).to.deep.equal([3, 1, 3]);
  });

  it('stops and says so when its folder is removed midway', async () => {
    const launcher = new FakeLauncher();
    const { report, lost } = await runRegression(
      options({ launcher, onResult: () => rmSync(join(out, 'runs.jsonl'), { force: true }) }),
    );
    expect(report.results).to.have.length(1);
    expect(lost).to.deep.equal([
      `${join(out, 'runs.jsonl')}: somebody has removed or moved it while the regression ran; the regression was stopped`,
    ]);
  });

  it('runs nothing when there is no room for the plan', async () => {
    symlinkSync('/dev/full', join(out, 'runs.jsonl'));
    const { report, lost } = await runRegression(options());
    expect(lost).to.deep.equal([`${out}/runs.jsonl: no space left on device; nothing was run`]);
    expect(report.summary.notRun).to.equal(4);
  });

  it('names reports that cannot be written and leaves no parts of them', async () => {
    mkdirSync(join(out, 'junit.xml'));
    const { report, lost } = await runRegression(options());
    expect(report.exitCode).to.equal(0);
    expect(lost).to.have.length(1);
    expect(lost[0]).to.match(/junit\.xml: it is a folder$/);
    expect(readdirSync(out).filter((name) => name.endsWith('.part'))).to.deep.equal([]);
    expect(existsSync(join(out, 'report.json'))).to.equal(true);
  });
});
