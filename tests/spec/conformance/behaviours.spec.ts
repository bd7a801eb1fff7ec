/** The tables of behaviours: that they make sense, and that cases, proofs and the page go with them. */

import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { countsTable, verdictsOf } from '../../../bin/conformance/behaviourCounts.ts';
import { shippedBehaviours } from '../../../bin/conformance/behaviourTables.ts';
import { cellsOf } from '../../../bin/conformance/conformancePage.ts';
import { onlyProblems } from '../../../bin/conformance/onlyProblems.ts';
import { NIC_CATALOG } from '../../../dut-model/nicCatalog.ts';
import { behaviourJobs, behaviourOfJob } from '../../../regress/conformance/behaviourJobs.ts';
import { type BehaviourError, readBehaviours } from '../../../regress/conformance/behaviours.ts';
import type { Job, JobResult } from '../../../regress/job.ts';
import { junitXml } from '../../../regress/report/junit.ts';
import { caseIds } from '../../../sequences/conformance/cases.ts';
import { SOFTWARE_BUGS } from '../../../sequences/conformance/softwareBugs.ts';
import { play } from '../tests/harness.ts';

const { tables, problems } = shippedBehaviours();
const all = tables.flatMap(({ behaviours }) => behaviours);

const TABLE = (rows: string): string => `name: mine\ntitle: Mine\norigin: here\ndut: hangu\nbehaviours:\n${rows}`;

function mistakesOf(rows: string): readonly string[] {
  try {
    readBehaviours('mine.yaml', TABLE(rows));
    return [];
  } catch (error) {
    return (error as BehaviourError).problems;
  }
}

describe('the tables of behaviours that ship', () => {
  it('have no mistakes, and every id once', () => {
    expect(problems).to.deep.equal([]);
    expect(new Set(all.map(({ id }) => id)).size).to.equal(all.length);
  });

  it('name each case that is written out, and no other', () => {
    const played = all.flatMap(({ shown }) => (shown.by === 'runs' ? shown.runs : []));
    const named = played.flatMap(({ what }) => /^case (.+)$/.exec(what)?.[1] ?? []);
    expect([...new Set(named)].sort()).to.deep.equal([...caseIds()].sort());
  });

  it('prove cases with bugs that there are', () => {
    for (const { id, proof } of all) {
      if (proof === undefined) continue;
      const bugs =
        proof.dut === undefined
          ? SOFTWARE_BUGS
          : (NIC_CATALOG.find(({ name }) => name === proof.dut)?.faults.map(({ name }) => name) ?? []);
      expect(bugs, id).to.include(proof.bug);
    }
  });

  it('are in docs/conformance.md, with case and proof', () => {
    const page = readFileSync(new URL('../../../docs/conformance.md', import.meta.url), 'utf8');
    for (const behaviour of all) {
      const cells = cellsOf(behaviour).map((cell) => cell.replaceAll('|', '\\|'));
      expect(page).to.contain(`| ${cells.join(' | ')} |`);
    }
  });
});

describe('a table of behaviours', () => {
  it('is refused with file, line and what is wrong', () => {
    expect(mistakesOf('  - { id: X001, must: a, on: rc, open: memory windows }')).to.deep.equal([
      'mine.yaml:6: X001: give one of on, sequence, test, runs, as, outside, open; it has on, open',
    ]);
    expect(mistakesOf('  - { id: X001, must: a, on: rc }\n  - { id: X001, must: a, on: rc }')[0]).to.equal(
      'mine.yaml:7: X001: is there already, at mine.yaml:6',
    );
    expect(mistakesOf('  - { id: X002, must: a, as: X001 }')[0]).to.contain("there is no behaviour 'X001'");
    expect(mistakesOf('  - { id: X001, must: a, open: no time }')[0]).to.match(
      /open: Invalid option: .*"memory windows"/,
    );
    expect(mistakesOf('  - { id: 1, must: a, on: rc }')[0]).to.match(/^mine\.yaml:6: behaviours\.0\.id: /);
    expect(mistakesOf('  - { id: X001, must: a, on: rc, color: red }')[0]).to.match(/^mine\.yaml:6: .*color/);
  });

  it('has a job for each run, with the seed of the regression or several derived ones', () => {
    const table = readBehaviours('mine.yaml', TABLE('  - { id: X001, must: a, runs: [{ test: t }, { sequence: s }] }'));
    const jobs = (count: number): readonly Job[] => behaviourJobs(table, { baseSeed: 7, count, cwd: '.' });
    expect(jobs(1).map(({ id }) => id)).to.deep.equal(['X001/1', 'X001/2']);
    expect(jobs(1)[0]?.argv).to.deep.equal(['+UVM_TESTNAME=t', '--seed', '7']);
    expect(jobs(3)).to.have.lengthOf(6);
    for (const { id } of [...jobs(1), ...jobs(3)]) expect(behaviourOfJob(id)).to.equal('X001');
  });

  it('says of an id that is asked for and not played why that is so', () => {
    const table = readBehaviours('mine.yaml', TABLE('  - { id: X001, must: a, outside: no NIC has it }'));
    expect(onlyProblems(['X001'], [table], 'mine')).to.deep.equal([
      '--only X001: lies outside of a NIC harness: no NIC has it',
    ]);
    const waits = readBehaviours('mine.yaml', TABLE('  - { id: X001, must: a, open: memory windows }'));
    expect(onlyProblems(['X001'], [waits], 'mine')).to.deep.equal(['--only X001: waits for memory windows']);
    expect(onlyProblems(['X002'], [table], 'mine')[0]).to.contain('did you mean X001');
  });
});

describe('the verdict of a behaviour', () => {
  const table = readBehaviours(
    'mine.yaml',
    TABLE(
      '  - { id: X001, must: a, runs: [{ test: t }, { test: u }] }\n  - { id: X002, must: b, open: memory windows }',
    ),
  );
  const jobs = behaviourJobs(table, { baseSeed: 1, count: 1, cwd: '.' });
  const resultOf = ({ id, family }: Job, status: string): JobResult => ({ id, family, status }) as JobResult;

  it('is passed when all of its runs have passed, and skipped when the NIC lacks something', () => {
    const verdict = (...statuses: string[]): unknown =>
      verdictsOf([table], {
        jobs,
        results: statuses.map((status, i) => resultOf(jobs[i] as Job, status)),
        skipped: [],
      }).get('X001');
    expect(verdict('passed', 'passed')).to.equal('passed');
    expect(verdict('passed', 'failed')).to.equal('failed');
    expect(verdict('passed')).to.equal('not run');
    const skipped = jobs.map((job) => ({ job, reason: 'needs what blue does not have: atomics' }));
    const verdicts = verdictsOf([table], { jobs: [], results: [], skipped });
    expect([verdicts.get('X001'), verdicts.get('X002')]).to.deep.equal(['skipped', 'waits']);
    const counts = countsTable([table], verdicts);
    expect(counts).to.match(/mine.*2.*0.*0.*1.*0.*1.*0/);
    expect(counts).to.match(/\nwaiting for memory windows: 1$/);
  });

  it('stands in JUnit as skipped with the reason', () => {
    const skipped = jobs.map((job) => ({ job, reason: 'needs what blue does not have: atomics' }));
    const xml = junitXml({ name: 'n', started: '', hostname: 'h', folder: '.', jobs: [], results: [], skipped });
    expect(xml).to.contain('<testsuite name="mine" tests="2" failures="0" errors="0" skipped="2"');
    expect(xml).to.contain('<skipped message="needs what blue does not have: atomics"/>');
  });
});

describe('a case', () => {
  const RC = '+RC_QP_NUM=1 +UC_QP_NUM=0 +UD_QP_NUM=0';

  it('fails where software posts a list otherwise than it must', async () => {
    for (const [id, bug] of [
      ['T-086', 'list_dropped'],
      ['T-073', 'receive_shared'],
    ]) {
      expect((await play('test_conformance', `+CASE=${id} ${RC}`)).verdict).to.equal('passed');
      const broken = await play('test_conformance', `+CASE=${id} +CASE_BUG=${bug} ${RC}`);
      expect(broken.log, bug).to.contain('[CASE_FAILED]');
    }
  });

  it('fails where software takes a step without what it needs, or with what it does not take', async () => {
    for (const [id, bug] of [
      ['T-081', 'attribute_guessed'],
      ['T-082', 'attribute_overlooked'],
    ]) {
      expect((await play('test_conformance', `+CASE=${id} ${RC}`)).verdict).to.equal('passed');
      const broken = await play('test_conformance', `+CASE=${id} +CASE_BUG=${bug} ${RC}`);
      expect(broken.log, bug).to.contain('[CASE_FAILED]');
    }
  });
});
