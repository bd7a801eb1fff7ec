import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { main } from '../../../bin/hcaRegress.ts';
import { RegressProgress } from '../../../bin/many/regressProgress.ts';
import { readRunRecord } from '../../../regress/readRunRecord.ts';
import type { RegressionReport } from '../../../regress/regression.ts';
import { fakeWorkers } from '../support/bundled.ts';
import { CapturedOutput } from '../support/capturedOutput.ts';
import { fakeRegistry } from '../support/fakeRun.ts';
import { aResult } from '../support/jobs.ts';

const workers = fakeWorkers();

describe('how a regression is limited, chosen and told', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'limits-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function listOf(text: string): string {
    const path = join(folder, 'list.yaml');
    writeFileSync(path, `defaults: { test: test_random }\ntests:\n${text}`);
    return path;
  }

  async function run(...argv: string[]): Promise<{ code: number; out: string; err: string; report: RegressionReport }> {
    const [out, err] = [new CapturedOutput(), new CapturedOutput()];
    const folderFlag = argv.includes('-n') ? [] : ['--out', join(folder, 'o')];
    const code = await main([...argv, ...folderFlag], { registry: fakeRegistry(), ...workers, out, err });
    const report = argv.includes('-n') ? '{}' : readFileSync(join(folder, 'o/report.json'), 'utf8');
    return { code, out: out.text, err: err.text, report: JSON.parse(report) as RegressionReport };
  }

  function seedsOf(out: string): number[] {
    return [...out.matchAll(/--seed (\d+)/g)].map(([, seed]) => Number(seed));
  }

  it('begins no run behind the failures that are allowed, and tells what to type next', async () => {
    const list = listOf('  - { name: bad, plusargs: { FAKE: fail }, reseed: 200 }');
    const { code, out, report } = await run('run', list, '--max-failures', '3', '-j', '2');
    expect([code, report.interrupted, report.stoppedBy]).to.deep.equal([1, true, '--max-failures 3']);
    // Each worker may be at a run when the third one has failed.
    expect(report.results.length).to.be.within(3, 5);
    expect(out).to.match(/stopped by --max-failures 3: \d+ runs have no result/);
    expect(out).to.contain(`go on: ./hca_regress run --resume ${join(folder, 'o')}`);
    expect(out).to.contain(`failures once more: ./hca_regress run --failed ${join(folder, 'o')}`);
  });

  it('gives every run one seed, or as many times the seeds as are asked for', async () => {
    const list = listOf('  - { name: a, reseed: 5 }\n  - { name: b, seeds: [8, 9] }');
    expect(seedsOf((await run('run', list, '-n', '--fixed-seed', '0x11')).out)).to.deep.equal([17, 17]);
    const plain = seedsOf((await run('run', list, '-n')).out);
    const fewer = seedsOf((await run('run', list, '-n', '--reseed-multiplier', '0.5')).out);
    expect(fewer).to.deep.equal([...plain.slice(0, 3), 8, 9]);
    expect(seedsOf((await run('run', list, '-n', '--reseed-multiplier', '0.01')).out)).to.have.length(3);
    expect(seedsOf((await run('run', list, '-n', '-r', '4', '--reseed-multiplier', '2')).out)).to.have.length(10);
    const both = await run('run', list, '-n', '--fixed-seed', '1', '--reseed', '2');
    expect([both.code, both.err.includes('keep one of them')]).to.deep.equal([2, true]);
  });

  it('gives lines of a script that name no seed the fixed one', async () => {
    const script = join(folder, 's.sh');
    writeFileSync(script, './hca_test +UVM_TESTNAME=test_random\n./hca_test +UVM_TESTNAME=test_random --seed 4\n');
    const { out, err } = await run('run', script, '-n', '--fixed-seed', '9');
    expect(seedsOf(out)).to.deep.equal([9, 4]);
    expect(err).to.contain('--fixed-seed 9 is for lines that name none');
  });

  it('takes several filters and exclusions, and names those that match nothing', async () => {
    const list = listOf('  - { name: alpha, seeds: [1, 2] }\n  - { name: beta, seeds: [1, 2] }');
    const ids = async (...argv: string[]): Promise<string[]> =>
      [...(await run('run', list, '-n', ...argv)).out.matchAll(/ # (\S+)/g)].map(([, id]) => id as string);
    expect(await ids('--filter', 'al*', '--filter', 'beta-s2')).to.deep.equal(['alpha-s1', 'alpha-s2', 'beta-s2']);
    expect(await ids('--exclude', '*-s1', '--exclude', 'beta*')).to.deep.equal(['alpha-s2']);
    expect((await run('run', list, '-n', '--filter', 'alhpa')).err).to.contain('did you mean alpha?');
    expect((await run('run', list, '-n', '--exclude', 'gamma')).code).to.equal(0);
    const strict = await run('run', list, '-n', '--exclude', 'gamma', '--strict');
    expect([strict.code, strict.err.includes('--exclude gamma')]).to.deep.equal([2, true]);
    expect((await run('run', list, '-n', '--exclude', '*')).err).to.contain('leaves no run');
  });

  it('makes errors of arguments without effect when it is strict', async () => {
    const list = listOf('  - { name: t, seeds: [1] }');
    expect((await run('run', list, '-n', '--strict')).out).to.contain("'+uvm_set_severity=*,CMDLINE_UNUSED,");
  });

  it('tells a run that does not repeat itself from one that fails', async () => {
    const list = listOf(
      '  - { name: flaky, plusargs: { FAKE: flaky }, seeds: [1] }\n  - { name: bad, plusargs: { FAKE: fail }, seeds: [1] }',
    );
    const { code, out, report } = await run('run', list);
    expect(code).to.equal(1);
    expect(report.results.map(({ status }) => status)).to.deep.equal(['nondeterministic', 'failed']);
    expect(out).to.match(/NONDETERMINISTIC flaky-s1[\s\S]*byte 3 differs; played once more, the run passed/);
    const record = readRunRecord(join(folder, 'o/runs/flaky-s1'));
    expect(record.secondPlay?.outcome).to.equal('differs');
    expect(readRunRecord(join(folder, 'o/runs/bad-s1')).secondPlay?.outcome).to.equal('same');
    expect(readFileSync(join(folder, 'o/runs/flaky-s1/run.log'), 'utf8')).to.contain('TEST FAILED NONDETERMINISTIC');
  });

  it('says first what is played and where, and goes on saying so where nobody sees a line in place', () => {
    const [out, err] = [new CapturedOutput(), new CapturedOutput()];
    let now = 0;
    const start = { source: 'l.yaml', seed: 3, folder: 'out/x', where: '2 workers', total: 9, earlier: [] };
    const launcher = { run: () => Promise.resolve(), playing: () => [], finish: () => {}, stop: () => {} };
    const progress = new RegressProgress(start, false, launcher, out, err, () => now);
    expect(out.text).to.equal('regression l.yaml: 9 runs, seed 3, 2 workers, out out/x\n');
    for (now = 0; now <= 25_000; now += 1000) progress.tick();
    progress.result(aResult());
    for (; now <= 45_000; now += 1000) progress.tick();
    const beats = out.text.split('\n').filter((line) => line.startsWith('playing: '));
    expect(beats).to.have.length(4);
    expect(beats.at(-1)).to.match(/1 passed, 0 failed of 9 \(11 %\)/);
  });

  it('lists what there is, for people and for programs', async () => {
    const list = async (...argv: string[]): Promise<{ code: number; out: string; err: string }> => {
      const [out, err] = [new CapturedOutput(), new CapturedOutput()];
      const code = await main(['list', ...argv], { registry: fakeRegistry(), out, err });
      return { code, out: out.text, err: err.text };
    };
    expect((await list('lists')).out).to.match(/smoke\s+\d+ runs: Every service/);
    const json = JSON.parse((await list('--json')).out) as Record<string, { name: string; runs?: number }[]>;
    expect(Object.keys(json)).to.deep.equal(['lists', 'tests', 'sequences', 'faults', 'knobs', 'covergroups']);
    expect(json['tests']?.map(({ name }) => name)).to.deep.equal(['test_direct_param', 'test_random']);
    expect(json['faults']?.[0]).to.include({ dut: 'hangu', name: 'lost_ack' });
    expect(json['lists']?.find(({ name }) => name === 'smoke')?.runs).to.be.greaterThan(10);
    const wrong = await list('test');
    expect([wrong.code, wrong.err.includes('did you mean tests?')]).to.deep.equal([2, true]);
  });
});
