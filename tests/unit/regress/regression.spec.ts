import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Job, JobResult } from '../../../regress/job.ts';
import type { Launcher, PlayingJob } from '../../../regress/launcher.ts';
import { type RegressionOptions, runRegression } from '../../../regress/regression.ts';
import { aJob, aResult } from '../../support/jobs.ts';

/** Ends every job at once, until it is stopped. */
class FakeLauncher implements Launcher {
  #stopped = false;

  async run(jobs: readonly Job[], onResult: (result: JobResult) => void): Promise<void> {
    for (const { id } of jobs) if (!this.#stopped) onResult(aResult({ id }));
  }

  playing(): readonly PlayingJob[] {
    return [];
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
    return { source: 'x.yaml', seed: 1, jobs, launcher: new FakeLauncher(), out, command: 'c', ...changes };
  }

  it('leaves journal and reports, and nothing else', async () => {
    const { report, lost } = await runRegression(options());
    expect([report.exitCode, lost]).to.deep.equal([0, []]);
    expect(readdirSync(out).sort()).to.deep.equal(['junit.xml', 'report.json', 'runs.jsonl']);
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
    const { report, lost } = await runRegression(options({ newJournal: () => ({ result, close: () => {} }) }));
    expect(lost).to.deep.equal([`${out}/runs.jsonl: no space left on device; the regression was stopped`]);
    expect([report.results.length, report.summary.notRun, report.exitCode]).to.deep.equal([3, 1, 3]);
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
    expect(lost[0]).to.match(/junit\.xml: illegal operation on a directory$/);
    expect(readdirSync(out).filter((name) => name.endsWith('.part'))).to.deep.equal([]);
    expect(existsSync(join(out, 'report.json'))).to.equal(true);
  });
});
