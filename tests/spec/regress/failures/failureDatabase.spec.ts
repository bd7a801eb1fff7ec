import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { parseRegressCommand } from '../../../../bin/cli/commands/regressCommand.ts';
import { KnownFailures } from '../../../../bin/many/knownFailures.ts';
import { FailureDatabase } from '../../../../regress/failures/failureDatabase.ts';
import type { JobResult } from '../../../../regress/job.ts';

const FOUND = {
  test: 'test_random',
  seed: 7,
  signature: '[SCB_DATA] # of # differ',
  dut: 'hangu',
  testPath: '',
  testSha256: '',
  args: ['+CASEID=x'],
};

describe('the database of failures', () => {
  let folder: string;
  let database: FailureDatabase;
  beforeEach(() => {
    folder = join(mkdtempSync(join(tmpdir(), 'failures-')), '.failures');
    database = new FailureDatabase(folder);
  });
  afterEach(() => rmSync(join(folder, '..'), { recursive: true, force: true }));

  const known = (line = 'run smoke'): KnownFailures =>
    new KnownFailures(parseRegressCommand(line.split(' ')), '/', {}, folder);
  const contents = (): string[] =>
    readdirSync(folder)
      .sort()
      .map((name) => readFileSync(join(folder, name), 'utf8'));
  const result = (id: string, status: JobResult['status']): JobResult => ({ id, status }) as JobResult;

  it('has nothing where there is no folder', () => {
    expect(known().jobs).to.deep.equal([]);
    expect(known().problems).to.deep.equal([]);
  });

  it('plays an open failure with its scenario, seed and arguments', () => {
    database.note(FOUND, 'a scenario\n');
    const [job, ...others] = known().jobs;
    expect(others).to.have.length(0);
    expect(job?.argv).to.include.members(['+UVM_TESTNAME=test_random', '+CASEID=x', '--scenario', '--seed', '7']);
    expect(job?.title).to.equal('open: [SCB_DATA] # of # differ');
  });

  it('is not written to as long as an open failure fails', () => {
    database.note(FOUND, 'a scenario\n');
    const before = contents();
    const failures = known();
    expect(failures.ended(result(failures.jobs[0]?.id ?? '', 'failed'))).to.equal(undefined);
    expect(contents()).to.deep.equal(before);
  });

  it('is written to once when an open failure has passed, and guards it from then on', () => {
    database.note(FOUND, 'a scenario\n');
    const failures = known();
    failures.ended(result(failures.jobs[0]?.id ?? '', 'passed'));
    const fixed = contents();
    expect(fixed[0]).to.include('"status": "fixed"');
    const guarded = known();
    expect(guarded.jobs).to.have.length(1);
    guarded.ended(result(guarded.jobs[0]?.id ?? '', 'passed'));
    guarded.ended(result(guarded.jobs[0]?.id ?? '', 'failed'));
    expect(contents()).to.deep.equal(fixed);
  });

  it('has one entry for each test, signature, NIC and folder of tests, whoever has found it', () => {
    const path = database.note(FOUND, 'a scenario\n');
    expect(database.note({ ...FOUND, seed: 8 }, 'another one\n')).to.equal(path);
    for (const other of [{ test: 'test_smoke' }, { signature: '[SCB_DATA] other' }, { dut: 'x' }, { testSha256: 'f' }])
      expect(database.note({ ...FOUND, ...other }, 'a scenario\n')).not.to.equal(path);
    expect(database.read().failures).to.have.length(5);
  });

  it('has no part in regressions of planted bugs, of other NICs, and of earlier failures', () => {
    database.note(FOUND, 'a scenario\n');
    for (const line of ['run smoke +DUT_FAULT=x', 'run smoke +DUT=other', 'run --failed out/x'])
      expect(known(line).jobs, line).to.have.length(0);
    expect(known('run smoke +DUT=hangu').jobs).to.have.length(1);
  });

  it('says what is wrong with a file that is no entry', () => {
    const path = database.note(FOUND, 'a scenario\n');
    writeFileSync(path, '{"format": "rnic-verify failure 1"}');
    expect(known().problems[0]).to.match(/\.json: no entry of a failure: status: expected one of/);
  });
});
