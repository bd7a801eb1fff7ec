import { cpSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import fc from 'fast-check';
import { parse } from 'yaml';
import { parseRegressCommand } from '../../../bin/cli/commands/regressCommand.ts';
import { main } from '../../../bin/hcaRegress.ts';
import type { RegressionReport } from '../../../regress/regression.ts';
import { scriptWords } from '../../../regress/script/scriptWords.ts';
import { parseShard, shardOf } from '../../../regress/shard.ts';
import { fakeWorkers } from '../support/bundled.ts';
import { CapturedOutput } from '../support/capturedOutput.ts';
import { fakeRegistry } from '../support/fakeRun.ts';
import { aJob } from '../support/jobs.ts';

const TEMPLATES = fileURLToPath(new URL('../../../templates/shards/', import.meta.url));

describe('shards of a regression', () => {
  let folder: string;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'shards-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  async function run(...argv: readonly string[]): Promise<{ code: number; out: string; err: string }> {
    const [out, err] = [new CapturedOutput(), new CapturedOutput()];
    const code = await main(argv, { registry: fakeRegistry(), ...fakeWorkers(), out, err });
    return { code, out: out.text, err: err.text };
  }

  const reportOf = (out: string): RegressionReport =>
    JSON.parse(readFileSync(join(out, 'report.json'), 'utf8')) as RegressionReport;

  /** What two reports must agree on. */
  const said = ({ results, summary, failures, seed, source, exitCode }: RegressionReport): unknown => ({
    results: results.map(({ id, status, seed: own, transcript, message }) => [id, status, own, transcript, message]),
    counts: summary.total.counts,
    failures: failures.map(({ count, id, text }) => [count, id, text]),
    all: [seed, source, exitCode],
  });

  it('are parts of which every run is in one, whatever else is in the list', () => {
    const ids = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,6}$/), { maxLength: 40 });
    fc.assert(
      fc.property(ids, fc.integer({ min: 1, max: 9 }), (names, of) => {
        const jobs = names.map((id) => aJob({ id }));
        const parts = Array.from({ length: of }, (_, i) => shardOf(jobs, { index: i + 1, of }));
        expect(parts.flatMap(({ plan }) => plan.places).sort((a, b) => a - b)).to.deep.equal(names.map((_, i) => i));
        for (const { jobs: own, plan } of parts) {
          const alone = shardOf(own, { index: plan.index, of });
          expect(alone.jobs).to.deep.equal(own);
        }
      }),
    );
  });

  it('are named as i/n', () => {
    expect(parseShard('2/8')).to.deep.equal({ index: 2, of: 8 });
    for (const text of ['0/2', '3/2', '1', '1/', '/2', '1/2/3', '01/2', '1/99999', 'a/b', '-1/2'])
      expect(parseShard(text), text).to.equal(undefined);
    expect(parseRegressCommand(['run', 'smoke', '--shard', '3/2']).problems.join()).to.contain('--shard 3/2');
  });

  it('have one report together: that of the regression played at once', async () => {
    const list = ['run', join(folder, 'list.sh'), '-q', '-j', '1', '--keep', 'all'];
    const lines = Array.from({ length: 9 }, (_, i) => `./hca_test +UVM_TESTNAME=test_random --seed ${i + 1}`);
    lines.push('./hca_test +UVM_TESTNAME=test_random +FAKE=fail --seed 3');
    writeFileSync(join(folder, 'list.sh'), `${lines.join('\n')}\n`);
    const whole = join(folder, 'whole');
    await run(...list, '--out', whole);
    for (const part of [1, 2, 3]) await run(...list, '--shard', `${part}/3`, '--out', join(folder, `s${part}`));
    // As after an upload and a download.
    renameSync(join(folder, 's1'), join(folder, 'moved'));
    const shards = ['s3', 'moved', 's2'].map((name) => join(folder, name));
    const merged = join(folder, 'merged');
    const { code, err } = await run('merge', ...shards, '--out', merged);
    expect(err).to.equal('');
    expect(code).to.equal(reportOf(whole).exitCode);
    expect(said(reportOf(merged))).to.deep.equal(said(reportOf(whole)));
    expect(existsSync(join(merged, 'junit.xml'))).to.equal(true);
    for (const { folder: kept } of reportOf(merged).results) expect(existsSync(kept), kept).to.equal(true);
    const missing = await run('merge', shards[0] as string, shards[1] as string, '--out', join(folder, 'x'));
    expect(missing.code).to.equal(2);
    expect(missing.err).to.contain('shard 2/3 is missing');
    const twice = await run('merge', ...shards, shards[0] as string, '--out', join(folder, 'x'));
    expect(twice.err).to.match(/shard 3\/3 is there 2 times: .*s3, .*s3/);
    const none = await run('merge', whole, '--out', join(folder, 'x'));
    expect(none.err).to.contain('is no shard; it was played without --shard');
    cpSync(join(folder, 's3'), join(folder, 'linked'), { recursive: true });
    symlinkSync('/etc', join(folder, 'linked/etc'));
    const linked = await run('merge', join(folder, 'linked'), '--out', join(folder, 'x'));
    expect(linked.err).to.match(/linked\/etc is a link/);
    expect(existsSync(join(folder, 'x'))).to.equal(false);
  });
});

describe('pipelines with shards', () => {
  const read = (name: string): unknown => parse(readFileSync(join(TEMPLATES, name), 'utf8'));

  /** Problems of the commands of a step, with the values that its system gives. */
  function problemsOf(line: string, values: Readonly<Record<string, string>>): readonly string[] {
    const filled = Object.entries(values).reduce((text, [name, value]) => text.replaceAll(name, value), line);
    const [npx, program, ...argv] = scriptWords(filled.replaceAll('*', '1'));
    expect([npx, program]).to.deep.equal(['npx', 'hca_regress']);
    return argv[0] === 'run' ? parseRegressCommand(argv).problems : [];
  }

  it('play every part once with GitHub Actions, and merge them', () => {
    const { jobs } = read('github-actions.yml') as {
      jobs: Record<
        'shard' | 'report',
        { needs?: string; strategy: { matrix: { shard: number[] } }; steps: { run?: string }[] }
      >;
    };
    const { shard: parts } = jobs.shard.strategy.matrix;
    const lines = jobs.shard.steps.flatMap(({ run }) => (run?.includes('hca_regress') === true ? [run] : []));
    expect(lines).to.have.length(1);
    for (const part of parts) {
      expect(lines[0]).to.contain(`/${parts.length} `);
      expect(problemsOf(lines[0] as string, { '${{ matrix.shard }}': String(part) })).to.deep.equal([]);
    }
    expect(parts).to.deep.equal(parts.map((_, i) => i + 1));
    expect(jobs.report.needs).to.equal('shard');
    expect(jobs.report.steps.map(({ run }) => run)).to.include('npx hca_regress merge shards/shard-* --out out');
  });

  it('play every part once with GitLab, and merge them', () => {
    const { stages, shard, report } = read('gitlab-ci.yml') as {
      stages: string[];
      shard: { parallel: number; stage: string; script: string[] };
      report: { stage: string; script: string[]; artifacts: { reports: { junit: string } } };
    };
    expect(stages).to.deep.equal([shard.stage, report.stage]);
    for (let part = 1; part <= shard.parallel; part++) {
      const values = { $CI_NODE_INDEX: String(part), $CI_NODE_TOTAL: String(shard.parallel) };
      expect(problemsOf(shard.script[1] as string, values)).to.deep.equal([]);
    }
    expect(report.script[1]).to.equal('npx hca_regress merge out/shard-* --out merged');
    expect(report.artifacts.reports.junit).to.equal('merged/junit.xml');
  });
});
