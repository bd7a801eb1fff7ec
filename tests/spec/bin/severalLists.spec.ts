import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { main } from '../../../bin/hcaRegress.ts';
import type { RegressionReport } from '../../../regress/regression.ts';
import { fakeWorkers } from '../support/bundled.ts';
import { CapturedOutput } from '../support/capturedOutput.ts';
import { fakeRegistry } from '../support/fakeRun.ts';

/** Seeds are derived. */
const entryOf = (id: string): string => id.replace(/-s\d+$/, '');

describe('several lists in one regression', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'lists-'));
    mkdirSync(join(folder, 'b'));
    file('a.yaml', 'tests: [{ name: rc, test: test_direct_param, reseed: 2 }, { name: own, test: test_direct_param }]');
    file('b/a.yaml', 'tests: [{ name: rc, test: test_random, plusargs: { FAKE: fail } }]');
    file('s.sh', `./hca_test +UVM_TESTNAME=test_random -l ${join(folder, 'x.log')}\n`);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const file = (name: string, text: string): void => writeFileSync(join(folder, name), text);

  async function run(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
    const [out, err] = [new CapturedOutput(), new CapturedOutput()];
    const code = await main(argv, { registry: fakeRegistry(), ...fakeWorkers(), out, err });
    return { code, out: out.text, err: err.text };
  }
  const all = (): string[] => ['a.yaml', 'b/a.yaml', 's.sh'].map((name) => join(folder, name));
  const reportOf = (out: string): RegressionReport =>
    JSON.parse(readFileSync(join(out, 'report.json'), 'utf8')) as RegressionReport;

  it('keeps ids and seeds that runs have alone, names the list of families that two of them have, and counts by list', async () => {
    const out = join(folder, 'out');
    const { code, out: text, err } = await run('run', ...all(), '--no-history', '--out', out, '-j2');
    expect(code, err).to.equal(1);
    const { results, summary, source } = reportOf(out);
    expect(source).to.equal(all().join(' + '));
    expect(results.map(({ id }) => entryOf(id))).to.deep.equal(['a.rc', 'a.rc', 'own', 'a-2.rc', 's/x']);
    const alone = join(folder, 'alone');
    await run('run', join(folder, 'a.yaml'), '--no-history', '--out', alone, '-j1');
    expect(results.slice(0, 3).map(({ seed }) => seed)).to.deep.equal(reportOf(alone).results.map(({ seed }) => seed));
    expect(summary.lists?.map(({ family, counts }) => [family, counts.passed, counts.failed])).to.deep.equal([
      ['a', 3, 0],
      ['a-2', 0, 1],
      ['s', 1, 0],
    ]);
    expect(text)
      .to.match(/^ *list +runs/m)
      .and.to.match(/^ *a-2 +1 +0 +1/m);
    expect(readFileSync(join(out, 'report.html'), 'utf8')).to.contain('<th scope="col">list</th>');
  });

  it('is played in shards, merged, and its failures are played once more', async () => {
    const shards = ['1/2', '2/2'].map((shard, i) => ({ shard, out: join(folder, `shard-${i}`) }));
    for (const { shard, out } of shards)
      await run('run', ...all(), '--no-history', '--shard', shard, '--out', out, '-j1');
    const whole = join(folder, 'whole');
    const merged = await run('merge', ...shards.map(({ out }) => out), '--out', whole);
    expect(merged.code, merged.err).to.equal(1);
    expect(reportOf(whole).summary.lists?.map(({ planned }) => planned)).to.deep.equal([3, 1, 1]);
    const again = join(folder, 'again');
    expect((await run('run', '--failed', whole, '--no-history', '--out', again, '-j1')).code).to.equal(1);
    expect(reportOf(again).results.map(({ id }) => entryOf(id))).to.deep.equal(['a-2.rc']);
  });

  it('takes a filter that any of them meets, refuses one that none does, and a list that is named twice', async () => {
    const dry = await run('run', ...all(), '-n', '--filter', 'own', '--filter', 's/x');
    expect([dry.code, dry.out.match(/# (own-s\d+|s\/x)$/gm)?.length], dry.err).to.deep.equal([0, 2]);
    const none = await run('run', ...all(), '-n', '--filter', 'nowhere');
    expect(none.code).to.equal(2);
    expect(none.err.match(/--filter nowhere/g)).to.have.lengthOf(1);
    const twice = await run('run', join(folder, 'a.yaml'), join(folder, 'a.yaml'));
    expect([twice.code, twice.err]).to.satisfy(
      ([code, err]: [number, string]) => code === 2 && /named twice/.test(err),
    );
    expect(existsSync(join(folder, 'x.log'))).to.equal(false);
  });
});
