import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { addKnownIssues } from '../../../../bin/known/addKnownIssues.ts';
import type { JobFindings, JobResult } from '../../../../regress/job.ts';
import { knownIssuesIn, readKnownIssues } from '../../../../regress/known/knownIssuesFile.ts';
import { KnownJudge } from '../../../../regress/known/knownJudge.ts';
import { failureGroups } from '../../../../regress/report/failureGroups.ts';
import { junitXml } from '../../../../regress/report/junit.ts';
import { knownLines } from '../../../../regress/report/knownLines.ts';
import { exitCodeOf, summarize } from '../../../../regress/report/summary.ts';
import { aJob } from '../../support/jobs.ts';
import { aFailure } from '../../support/storedRegressions.ts';
import { aResult } from '../../support/jobs.ts';

const NOW = new Date('2026-06-15T12:00:00Z');
const ABOUT = 'owner: eve, link: https://tracker.example/1';

/** A failed run with these findings, `[ID] text`. */
function failed(id: string, errors: readonly string[], changes: Partial<JobFindings> = {}): JobResult {
  const findings: JobFindings = {
    dut: 'hangu',
    plusargs: ['+RNR_RETRY=7', '+RNR_RETRY=3', '+COV'],
    errors: errors.map((error) => ({ id: /^\[(\w+)\]/.exec(error)?.[1] ?? '', text: error.replace(/^\[\w+\] /, '') })),
    isWhole: true,
    ...changes,
  };
  return aFailure(id, errors[0] ?? '', { test: 'test_random', findings });
}

function judgeOf(entries: string): KnownJudge {
  const { issues, problems } = knownIssuesIn('k.yaml', `known_issues:\n${entries}`);
  expect(problems).to.deep.equal([]);
  return new KnownJudge(issues, NOW);
}

function statusWith(entry: string, result: JobResult): string {
  return judgeOf(`  - { ${entry}, ${ABOUT}, until: 2026-12-31 }\n`).judged(result).status;
}

describe('A run with known issues', () => {
  const run = failed('a', ['[SCB_DATA] byte # differs']);

  it('is known when entries are about all of its findings, and fails with a new one', () => {
    expect(statusWith('id: SCB_DATA', run)).to.equal('known');
    expect(statusWith('id: SCB_DATA', failed('a', ['[SCB_DATA] byte # differs', '[SCB_ORDER] #']))).to.equal('failed');
    const both = `  - { id: SCB_DATA, ${ABOUT}, until: 2026-12-31 }\n  - { id: SCB_ORDER, ${ABOUT}, until: 2026-12-31 }\n`;
    const judged = judgeOf(both).judged(failed('a', ['[SCB_DATA] byte # differs', '[SCB_ORDER] #']));
    expect(judged.status).to.equal('known');
    expect(judged.known?.issues).to.have.length(2);
  });

  it('is excused by text or pattern, kind of NIC, test and plusargs, of which the first of a name counts', () => {
    for (const [entry, status] of [
      ['text: byte', 'known'],
      ['text: "byte*differs"', 'known'],
      ['text: "byte*same"', 'failed'],
      ['dut: blue', 'failed'],
      ['dut: hangu', 'known'],
      ['test: "test_r*"', 'known'],
      ['test: test_direct_param', 'failed'],
      ['plusargs: { RNR_RETRY: 7 }', 'known'],
      ['plusargs: { RNR_RETRY: 3 }', 'failed'],
      ['plusargs: { ACK_TIMEOUT: 3 }', 'failed'],
    ] as const)
      expect([entry, statusWith(`id: SCB_DATA, ${entry}`, run)]).to.deep.equal([entry, status]);
  });

  it('fails when more findings were made than were kept, when it has none, and when it did not repeat itself', () => {
    expect(statusWith('id: SCB_DATA', failed('a', ['[SCB_DATA] #'], { isWhole: false }))).to.equal('failed');
    expect(statusWith('id: SCB_DATA', failed('a', []))).to.equal('failed');
    expect(statusWith('id: SCB_DATA', { ...run, status: 'nondeterministic' })).to.equal('nondeterministic');
    expect(statusWith('id: SCB_DATA', { ...run, lost: ['run.json: no space left on device'] })).to.equal('failed');
  });

  it('is not excused from the end of the day, or the moment, that an entry names', () => {
    const until = (text: string): string =>
      judgeOf(`  - { id: SCB_DATA, ${ABOUT}, until: ${text} }\n`).judged(run).status;
    expect(until('2026-06-15')).to.equal('known');
    expect(until('2026-06-14')).to.equal('failed');
    expect(until('2026-06-15T12:00:01Z')).to.equal('known');
    expect(until('2026-06-15T12:00:00Z')).to.equal('failed');
  });
});

describe('A regression with three known issues, one expired, one not seen and a new failure', () => {
  const judge = judgeOf(
    [
      '  - { id: SCB_DATA, until: 2026-12-31 }',
      '  - { id: WIRE_PSN, until: 2026-12-31 }',
      '  - { id: SCB_LEN, until: 2026-12-31, broad: true }',
      '  - { id: SCB_ORDER, until: 2026-01-01 }',
      '  - { id: WIRE_ICRC, until: 2026-12-31 }',
      '  - { id: WIRE_ICRC, until: 2026-12-31, test: test_other }',
    ]
      .map((line) => `${line.replace(' }', `, ${ABOUT} }`)}\n`)
      .join(''),
  );
  const known = [
    failed('r/1', ['[SCB_DATA] byte # differs']),
    failed('r/2', ['[WIRE_PSN] #']),
    failed('r/3', ['[SCB_LEN] too long']),
    failed('r/4', ['[SCB_LEN] too short']),
  ];
  const rest = [
    failed('r/5', ['[SCB_ORDER] #']),
    failed('r/6', ['[SCB_STATUS] #']),
    aResult({ id: 'r/7', test: 'test_random' }),
  ];
  const conclude = (played: readonly JobResult[]) => judge.concluded(played.map((result) => judge.judged(result)));

  it('fails for the expired and for the new one alone', () => {
    const { results } = conclude([...known, ...rest]);
    expect(results.map(({ status }) => status)).to.deep.equal([
      ...Array(4).fill('known'),
      'failed',
      'failed',
      'passed',
    ]);
    expect(failureGroups(results).map(({ id }) => id)).to.deep.equal(['SCB_ORDER', 'SCB_STATUS']);
    const exitOf = (of: readonly JobResult[]): number => exitCodeOf(summarize(of, of), of);
    expect(exitOf(results)).to.equal(1);
    expect(exitOf(conclude([...known, aResult({ id: 'r/7' })]).results)).to.equal(0);
  });

  it('names what is known, what has expired and what is not seen any more, and not what was not played', () => {
    const { entries } = conclude([...known, ...rest]);
    expect(entries.map(({ state }) => state)).to.deep.equal([
      'known',
      'known',
      'known',
      'expired',
      'not seen',
      'not played',
    ]);
    const lines = knownLines(entries);
    expect(lines).to.have.length(5);
    expect(lines[2]).to.equal(
      'known issue [SCB_LEN]: known, 2 runs, first r/3; eve, https://tracker.example/1, until 2026-12-31 (k.yaml:4:5)',
    );
    expect(lines[3]).to.match(/\[SCB_ORDER\]: expired, so it counts for nothing, 1 run, first r\/5/);
    expect(lines[4]).to.match(/\[WIRE_ICRC\]: not seen any more/);
  });

  it('has known runs as skipped in JUnit, with owner and link', () => {
    const { results } = conclude([...known, ...rest]);
    const jobs = results.map(({ id }) => aJob({ id, family: 'f' }));
    const xml = junitXml({ name: 'n', started: '2026-01-02T03:04:05.000Z', hostname: 'h', folder: '/', jobs, results });
    expect(xml).to.contain('failures="2" errors="0" skipped="4"');
    expect(xml).to.contain(
      '<skipped message="known issue: SCB_DATA (eve, https://tracker.example/1, until 2026-12-31)"/>',
    );
  });
});

describe('An entry that is about several signatures', () => {
  it('excuses nothing unless it says that it is broad, also when results were taken for known as they came', () => {
    const judge = judgeOf(`  - { id: SCB_DATA, ${ABOUT}, until: 2026-12-31 }\n`);
    const runs = [failed('a', ['[SCB_DATA] one']), failed('b', ['[SCB_DATA] another'])].map((run) => judge.judged(run));
    expect(runs.map(({ status }) => status)).to.deep.equal(['known', 'known']);
    const { results, entries } = judge.concluded(runs);
    expect(results.map(({ status, known }) => [status, known])).to.deep.equal([
      ['failed', undefined],
      ['failed', undefined],
    ]);
    expect(entries[0]?.state).to.equal('too broad');
  });
});

describe('A file of known issues', () => {
  const folder = mkdtempSync(join(tmpdir(), 'known-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('is refused with the place of each mistake', () => {
    const wrong = 'known_issues:\n  - id: 7\n    owner: eve\n    link: x\n    until: tomorrow\n    ovner: eve\n';
    const { problems } = knownIssuesIn('k.yaml', wrong);
    expect(problems.join('\n')).to.match(/k\.yaml:2:9: known_issues\.0\.id: expected string/);
    expect(problems.join('\n')).to.match(/k\.yaml:5:12: known_issues\.0\.until: expected a day or a moment/);
    expect(problems.join('\n')).to.match(/k\.yaml:6:5: .*ovner/);
  });

  it('keeps its comments when entries are added, and is made where there is none', () => {
    const file = join(folder, 'known_issues.yaml');
    const entry = { id: 'SCB_DATA', text: 'byte # differs: "x"', owner: 'eve', link: 'l', until: '2026-12-31' };
    addKnownIssues(file, [entry]);
    writeFileSync(file, `# ours\n${readFileSync(file, 'utf8')}`);
    addKnownIssues(file, [{ ...entry, id: 'SCB_LEN' }]);
    expect(readFileSync(file, 'utf8')).to.match(/^# ours\n/);
    const { issues, problems } = readKnownIssues(file);
    expect(problems).to.deep.equal([]);
    expect(issues.map(({ data }) => data)).to.deep.equal([entry, { ...entry, id: 'SCB_LEN' }]);
  });
});
