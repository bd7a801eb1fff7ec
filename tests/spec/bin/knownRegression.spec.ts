import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { main } from '../../../bin/hcaRegress.ts';
import type { RegressionReport } from '../../../regress/regression.ts';
import { fakeWorkers } from '../support/bundled.ts';
import { CapturedOutput } from '../support/capturedOutput.ts';
import { fakeRegistry } from '../support/fakeRun.ts';

/** What each run finds. */
const FOUND = ['SCB_DATA', 'SCB_LEN', 'WIRE_PSN', 'SCB_ORDER', 'SCB_STATUS'];
const ISSUES = [
  ['SCB_DATA', '2999-01-01'],
  ['SCB_LEN', '2999-01-01'],
  ['WIRE_PSN', '2999-01-01'],
  ['SCB_ORDER', '2020-01-01'],
  ['WIRE_ICRC', '2999-01-01'],
];

describe('A regression with three known issues, one that has expired, one that is gone, and a new failure', () => {
  let folder = '';
  let list = '';
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'known-'));
    list = join(folder, 'list.yaml');
    const entries = [...FOUND.map((id) => `FAKE: fail, FAKE_ID: ${id}`), 'FAKE: pass'];
    const lines = entries.map((plusargs, i) => `  - { name: r${i}, test: test_random, plusargs: { ${plusargs} } }\n`);
    writeFileSync(list, `tests:\n${lines.join('')}`);
    const about = 'owner: eve, link: "https://tracker.example/1"';
    const issues = ISSUES.map(([id, until]) => `  - { id: ${id}, ${about}, until: ${until} }\n`);
    writeFileSync(join(folder, 'known_issues.yaml'), `known_issues:\n${issues.join('')}`);
  });
  after(() => rmSync(folder, { recursive: true }));

  async function run(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
    const [out, err] = [new CapturedOutput(), new CapturedOutput()];
    const code = await main(argv, { registry: fakeRegistry(), ...fakeWorkers(), out, err });
    return { code, out: out.text, err: err.text };
  }
  const read = (out: string, name: string): string => readFileSync(join(folder, out, name), 'utf8');
  const statesIn = (out: string): readonly string[] =>
    (JSON.parse(read(out, 'report.json')) as RegressionReport).known.map(({ state }) => state);
  const STATES = ['known', 'known', 'known', 'expired', 'not seen'];

  /** What reports of all of its runs say. */
  function expectReports(out: string): void {
    expect(statesIn(out)).to.deep.equal(STATES);
    const xml = read(out, 'junit.xml');
    expect([xml.match(/<failure /g)?.length, xml.match(/<skipped /g)?.length]).to.deep.equal([2, 3]);
    expect(xml).to.contain(
      '<skipped message="known issue: SCB_DATA (eve, https://tracker.example/1, until 2999-01-01)"/>',
    );
    const page = read(out, 'report.html');
    const rows = page.match(/<tr class="(known|expired|not seen|too broad)">/g) ?? [];
    expect(rows.map((row) => row.slice('<tr class="'.length, -2))).to.deep.equal(STATES);
    expect(existsSync(join(folder, out, 'summary.json'))).to.equal(true);
  }

  it('fails for the expired and the new one, and says of each issue what came of it, on the page too', async () => {
    const { code, out, err } = await run('run', list, '--no-history', '-j2', '--out', join(folder, 'all'));
    expect(code, err).to.equal(1);
    expect(out).to.match(/REGRESSION FAILED 1 of 6 passed, 3 known/);
    expect(out)
      .to.match(/\[SCB_ORDER\]: expired, so it counts for nothing/)
      .and.to.match(/\[WIRE_ICRC\]: not seen any more/);
    expectReports('all');
  });

  it('passes where all of its failures are known', async () => {
    const known = ['r0', 'r1', 'r2', 'r5'].flatMap((name) => ['--filter', name]);
    const { code, out, err } = await run(
      'run',
      list,
      '--no-history',
      '-j2',
      ...known,
      '--out',
      join(folder, 'excused'),
    );
    expect(code, err).to.equal(0);
    expect(out).to.match(/REGRESSION PASSED 1 of 4 passed, 3 known/);
    expect(statesIn('excused')).to.deep.equal(STATES);
  });

  it('is the same when it is merged of shards', async () => {
    for (const part of ['1', '2'])
      await run('run', list, '--no-history', '-j1', '--shard', `${part}/2`, '--out', join(folder, part));
    const shards = [join(folder, '1'), join(folder, '2')];
    const { code, out, err } = await run('merge', ...shards, '--no-history', '--out', join(folder, 'merged'));
    expect(code, err).to.equal(1);
    expect(out.trim().split('\n').at(-1)).to.equal(join(folder, 'merged/report.html'));
    expectReports('merged');
  });
});
