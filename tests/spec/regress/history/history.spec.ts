/** Histories. They need Node 22.13 or later; on an earlier one only what is said there is looked at. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { history as historyCommand } from '../../../../bin/history/historyCommand.ts';
import { leaveSummary } from '../../../../bin/many/report/leftReport.ts';
import { History } from '../../../../regress/history/history.ts';
import { FIRST_STEP, HistoryError, migrate } from '../../../../regress/history/historySchema.ts';
import { sqlite } from '../../../../regress/history/sqlite.ts';
import { type RegressionSummaryFile, summaryOf } from '../../../../regress/history/summaryFile.ts';
import type { JobResult } from '../../../../regress/job.ts';
import { trendView } from '../../../../regress/page/trendView.ts';
import { CapturedOutput } from '../../support/capturedOutput.ts';
import { aJob, aPlan, aResult } from '../../support/jobs.ts';
import { aFailure } from '../../support/storedRegressions.ts';

/** The regression of a day, in which one run fails from the tenth on. */
function summaryOfDay(day: number, changes: Partial<JobResult> = {}, sources = `s${day}`): RegressionSummaryFile {
  const runs = Array.from({ length: 5 }, (_, i) => aResult({ id: `f/${i}`, seed: i, wallMs: 10 * day }));
  const results = [...runs, day < 10 ? aResult({ id: 'f/x' }) : aFailure('f/x', `[SCB_DATA] byte ${day} differs`)];
  const changed = results.map((result) => (result.id === 'f/x' ? { ...result, ...changes } : result));
  const jobs = results.map(({ id }) => aJob({ id, argv: [`+ID=${id}`] }));
  const started = new Date(Date.UTC(2026, 0, day)).toISOString();
  const coverage = { bins: 100, covered: 50 + day };
  return summaryOf({
    plan: aPlan({ jobs, started, sources }),
    results: changed,
    wallMs: 60_000,
    exitCode: 0,
    coverage,
  });
}

const DAYS = Array.from({ length: 20 }, (_, i) => summaryOfDay(i + 1));

describe('The trend of regressions', () => {
  it('has for each signature when it was seen first and last, and for each test its pass rate and times', () => {
    const trend = trendView(DAYS.toReversed());
    expect(trend?.text).to.match(/^20 regressions, from 2026-01-01T.* to 2026-01-20T/);
    const rowsOf = (title: string) => trend?.tables.find((table) => table.title === title)?.rows ?? [];
    const [signature] = rowsOf('Signatures').map(({ cells }) => cells.map(({ text }) => text));
    expect(signature).to.deep.equal([
      '[SCB_DATA] byte # differs',
      '2026-01-10T00:00:00.000Z',
      '2026-01-20T00:00:00.000Z',
      '11',
      '11',
      '1',
    ]);
    expect(
      rowsOf('Tests')[0]
        ?.cells.map(({ text }) => text)
        .slice(0, 3),
    ).to.deep.equal(['test_x', '120', '90.8 %']);
    expect(rowsOf('Regressions')[0]?.cells.map(({ text }) => text)).to.include('70.00 %');
    expect(trend?.charts).to.have.length(2);
  });

  it('is none of a single regression', () => {
    expect(trendView(DAYS.slice(0, 1))).to.equal(undefined);
  });
});

describe('A history', () => {
  const folder = mkdtempSync(join(tmpdir(), 'history-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  const run = async (...argv: string[]) => {
    const [out, err] = [new CapturedOutput(), new CapturedOutput()];
    return { code: await historyCommand(argv, { out, err }), out: out.text, err: err.text };
  };

  it('says on a Node without a database that it needs a later one', async function () {
    if ((await sqlite()) !== undefined) this.skip();
    leaveSummary(join(folder, 'a'), DAYS[0] as RegressionSummaryFile);
    const { code, err } = await run('import', folder, '--file', join(folder, 'h.sqlite'));
    expect(code).to.equal(2);
    expect(err).to.match(/history needs Node 22\.13 or later.*Everything else works/);
    expect(err.trim().split('\n')).to.have.length(1);
  });

  describe('in the database of Node', () => {
    before(async function () {
      if ((await sqlite()) === undefined) this.skip();
    });

    const open = async (name: string): Promise<History> => (await History.open(join(folder, name))) as History;

    it('that is made again from the summaries of folders holds the same', async () => {
      for (const [i, summary] of DAYS.entries()) leaveSummary(join(folder, 'out', `r${i}`), summary);
      const first = await open('first.sqlite');
      for (const summary of DAYS) first.add(summary);
      expect((await run('import', join(folder, 'out'), '--file', join(folder, 'again.sqlite'))).code).to.equal(0);
      await run('import', join(folder, 'out'), '--file', join(folder, 'again.sqlite'));
      const again = await open('again.sqlite');
      expect(again.dump()).to.equal(first.dump());
      expect(again.summaries(3).map(({ started }) => started.slice(8, 10))).to.deep.equal(['18', '19', '20']);
      first.close();
      again.close();
      const shown = await run('--file', join(folder, 'again.sqlite'));
      expect(shown.code).to.equal(0);
      expect(shown.out)
        .to.match(/SCB_DATA.*2026-01-10/)
        .and.to.match(/no run with equal arguments and sources went/);
    });

    it('finds a run that went differently with equal arguments and sources', async () => {
      const history = await open('odd.sqlite');
      history.add(summaryOfDay(1, {}, 'same'));
      expect(history.contradictions()).to.deep.equal([]);
      history.add(summaryOfDay(2, { transcript: 'f'.repeat(32) }, 'other'));
      expect(history.contradictions()).to.deep.equal([]);
      history.add(summaryOfDay(3, { status: 'failed' }, 'same'));
      expect(history.contradictions()).to.deep.equal([{ id: 'f/x', seed: 1, statuses: ['passed', 'failed'] }]);
      history.close();
      expect((await run('--file', join(folder, 'odd.sqlite'))).code).to.equal(1);
    });

    it('brings the tables of an earlier version to those of today, and leaves those of a later one alone', async () => {
      const module = await sqlite();
      const path = join(folder, 'old.sqlite');
      const old = new (module as NonNullable<typeof module>).DatabaseSync(path);
      migrate(old, path, [FIRST_STEP]);
      old.exec("INSERT INTO test VALUES ('r', 'test_x', 3, 2, 1.5, 1)");
      old.close();
      const history = await open('old.sqlite');
      history.add(DAYS[0] as RegressionSummaryFile);
      expect(history.dump()).to.contain('"regression":"r"');
      history.close();
      const later = new (module as NonNullable<typeof module>).DatabaseSync(path);
      later.exec('PRAGMA user_version = 99');
      later.close();
      const problem = await History.open(path).then(
        () => undefined,
        (error: unknown) => error,
      );
      expect(problem)
        .to.be.instanceOf(HistoryError)
        .with.property('message')
        .that.matches(/a later version \(99/);
    });

    it('loses nothing of what is written when one of two writers is killed, and has no half of a regression', async () => {
      const path = join(folder, 'two.sqlite');
      (await open('two.sqlite')).close();
      const writer = fileURLToPath(new URL('../../support/historyWriter.ts', import.meta.url));
      const begin = (from: number, count: number) =>
        spawn(process.execPath, [...process.execArgv, writer, path, String(from), String(count)], {
          stdio: ['ignore', 'pipe', 'inherit'],
        });
      const [victim, other] = [begin(1, 100_000), begin(200_000, 20)];
      let written = 0;
      victim.stdout.on('data', (text: Buffer) => {
        written += text.length;
        if (written > 30) victim.kill('SIGKILL');
      });
      await Promise.all([once(victim, 'close'), once(other, 'close')]);
      const history = await open('two.sqlite');
      const summaries = history.summaries(100_000);
      expect(summaries.filter(({ seed }) => seed >= 200_000)).to.have.length(20);
      expect(summaries.filter(({ seed }) => seed < 200_000).length).to.be.at.least(written);
      const rows = JSON.parse(history.dump().split('\n')[3] ?? '[]') as unknown[];
      expect(rows).to.have.length(6 * summaries.length);
      history.close();
    });
  });
});
