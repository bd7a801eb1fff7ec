import { expect } from 'chai';
import type { JobStatus } from '../../../../regress/job.ts';
import { failureList } from '../../../../regress/report/failureList.ts';
import { formatDuration } from '../../../../regress/report/formatDuration.ts';
import { exitCodeOf, summarize } from '../../../../regress/report/summary.ts';
import { retriedLines } from '../../../../regress/report/retriedLines.ts';
import { switchedOffLines } from '../../../../regress/report/switchedOffLines.ts';
import { summaryTable } from '../../../../regress/report/summaryTable.ts';
import { aResult } from '../../support/jobs.ts';

function codeOf(...statuses: JobStatus[]): number {
  const results = statuses.map((status) => aResult({ status }));
  return exitCodeOf(summarize(results, results), results);
}

const planned = (...families: readonly string[]) => families.map((family, i) => ({ id: `${family}/${i}`, family }));

describe('the summary of a regression', () => {
  it('has an exit code for each kind of end', () => {
    expect(codeOf('passed', 'passed')).to.equal(0);
    expect(codeOf('passed', 'failed', 'crashed')).to.equal(1);
    expect(codeOf('vacuous')).to.equal(1);
    expect(codeOf('passed', 'crashed')).to.equal(3);
    expect(codeOf('timeout')).to.equal(3);
    expect(codeOf('usage', 'passed')).to.equal(3);
    expect(codeOf('usage', 'failed')).to.equal(1);
    expect(codeOf('usage', 'usage')).to.equal(2);
    expect(exitCodeOf(summarize(planned('f', 'f'), [aResult()]), [aResult()])).to.equal(3);
  });

  it('has a row per family and one for all, and columns for what happened', () => {
    const results = [aResult({ family: 'a' }), aResult({ family: 'b', status: 'timeout', wallMs: 2000 })];
    const lines = summaryTable(summarize(planned('a', 'b', 'b'), results))
      .split('\n')
      .map((l) => l.trim().split(/\s{2,}/));
    expect(lines[0]).to.deep.equal(['family', 'runs', 'passed', 'failed', 'time-out', 'not run', 'checks', 'run time']);
    expect(lines[2]).to.deep.equal(['b', '2', '0', '0', '1', '1', '3', '2.0 s']);
    expect(lines[3]?.[0]).to.equal('total');
  });

  it('does not call it processor time what runs took while they shared processors', () => {
    expect(summaryTable(summarize(planned('f'), [aResult()])))
      .to.match(/run time/)
      .and.not.to.match(/CPU/);
  });

  it('has a table of lists before that of families where there are several', () => {
    const jobs = [
      { id: 'a/0', family: 'a', list: 'smoke' },
      { id: 'b/0', family: 'b', list: 'nightly' },
      { id: 'b/1', family: 'b', list: 'nightly' },
    ];
    const summary = summarize(jobs, [aResult({ id: 'a/0', family: 'a' }), aResult({ id: 'b/1', family: 'b' })]);
    expect(summary.lists?.map(({ family, planned: all, counts }) => [family, all, counts.passed])).to.deep.equal([
      ['smoke', 1, 1],
      ['nightly', 2, 1],
    ]);
    const heads = summaryTable(summary)
      .split('\n')
      .filter((line) => line.includes('runs'));
    expect(heads.map((line) => line.trim().split(/\s/)[0])).to.deep.equal(['list', 'family']);
  });

  it('lists each failure with its replay line', () => {
    const text = failureList([
      aResult(),
      aResult({ status: 'failed', message: '[X] y', replay: './hca_test --seed 4' }),
    ]).join('\n');
    expect(text).to.equal('FAILED f/0-s1\n    [X] y\n    replay: ./hca_test --seed 4');
    const misused = aResult({ status: 'usage', message: 's.sh:3: -x: unknown flag', replay: '' });
    const cause = {
      page: 'out/r/failure.md',
      accuses: ['host 0 QP 14', 'PSN 7'],
      decides: '5ns: host 0 QP 14 is in ERR',
    };
    expect(failureList([aResult({ status: 'failed', cause })]).slice(2, 5)).to.deep.equal([
      '    accused host 0 QP 14',
      '    decided by 5ns: host 0 QP 14 is in ERR',
      '    cause out/r/failure.md',
    ]);
    expect(failureList([misused]).join('\n')).to.equal('USAGE f/0-s1\n    s.sh:3: -x: unknown flag');
    expect(failureList(Array.from({ length: 60 }, () => aResult({ status: 'failed' }))).at(-1)).to.match(/10 more/);
  });

  it('warns of runs that passed with switched-off errors, and names the log of one', () => {
    const off = aResult({ id: 'f/1-s2', switchedOff: 3, log: 'runs/f.1-s2/run.log' });
    const lines = switchedOffLines([
      aResult(),
      off,
      aResult({ switchedOff: 2 }),
      aResult({ status: 'failed', switchedOff: 9 }),
    ]);
    expect(lines).to.deep.equal([
      'warning: 2 of 4 runs passed with switched-off errors (5 in all; first f/1-s2, log runs/f.1-s2/run.log)',
    ]);
    expect(switchedOffLines([aResult()])).to.deep.equal([]);
  });

  it('warns of runs that passed only when they were tried again', () => {
    const again = (n: number) => aResult({ id: `f/${n}`, attempts: 2 });
    expect(retriedLines([aResult(), again(1), aResult({ status: 'crashed', attempts: 2 })])).to.deep.equal([
      'warning: 1 run passed only when tried again, after the process had died: f/1',
    ]);
    expect(retriedLines([1, 2, 3, 4, 5, 6, 7].map(again))[0]).to.match(
      /^warning: 7 runs .*: f\/1, .*, f\/5 and 2 more$/,
    );
    expect(retriedLines([aResult()])).to.deep.equal([]);
  });

  it('writes durations for people', () => {
    const cases = [
      [12, '12 ms'],
      [999.7, '1.0 s'],
      [59_960, '1 min 00 s'],
      [245_000, '4 min 05 s'],
      [7_800_000, '2 h 10 min'],
    ] as const;
    for (const [ms, text] of cases) expect(formatDuration(ms)).to.equal(text);
  });
});
