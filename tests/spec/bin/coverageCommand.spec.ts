import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { main } from '../../../bin/hcaRegress.ts';
import { showCoverage } from '../../../bin/many/report/coverageReport.ts';
import { databaseOf } from '../../../regress/coverage/database.ts';
import { readStore } from '../../../regress/coverage/readStore.ts';
import { writeStore } from '../../../regress/coverage/writeStore.ts';
import { FAULTS, hitting, runNamed, TRAFFIC } from '../regress/coverage/databases.ts';
import { CapturedOutput } from '../support/capturedOutput.ts';

describe('hca_regress coverage', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'coverage-'));
    const runs = [
      runNamed('a', { hits: hitting(TRAFFIC, { 0: 1, 4: 1, 7: 1 }) }),
      runNamed('b', { test: 'test_other', hits: hitting(TRAFFIC, { 1: 1 }) }),
      runNamed('c', { passed: false, hits: hitting(TRAFFIC, { 2: 1 }) }),
    ];
    writeStore(join(folder, 'one/coverage.jsonl'), databaseOf([TRAFFIC], runs));
    writeStore(
      join(folder, 'two/coverage.jsonl'),
      databaseOf([FAULTS], [runNamed('d', { hits: hitting(FAULTS, { 0: 2 }) })]),
    );
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const at = (name: string): string => join(folder, name);

  async function coverage(
    ...argv: string[]
  ): Promise<{ code: number; out: string; err: string; last: string | undefined }> {
    const [out, err] = [new CapturedOutput(), new CapturedOutput()];
    const code = await main(['coverage', ...argv], { out, err });
    return { code, out: out.text, err: err.text, last: out.text.trimEnd().split('\n').at(-1) };
  }

  it('ends with a line for CI, of runs that passed in all folders together', async () => {
    const { code, last } = await coverage(at('one'), at('two'));
    expect([code, last]).to.deep.equal([0, 'coverage: 5 of 16 bins, 31.25 % (weighted 43.75 %), 3 runs']);
    expect((await coverage(at('one'), at('one'))).last).to.contain('4 of 14 bins');
    expect((await coverage(at('one'), '--with-failed')).last).to.contain('5 of 14 bins');
  });

  it('looks at some groups, and at the runs of some tests', async () => {
    expect((await coverage(at('one'), at('two'), '--only', 'faults_*')).last).to.contain('1 of 2 bins');
    expect((await coverage(at('one'), '--tests', 'test_other')).last).to.contain('1 of 14 bins');
    expect((await coverage(at('one'), '--without', 'test_other')).last).to.contain('3 of 14 bins');
  });

  it('shows items, bins, holes, who hits what, the ranking and a difference, in text and in Markdown', async () => {
    const all = ['--bins', '--holes', '--hits', '*.op', '--rank', '--against', at('two')];
    const { out } = await coverage(at('one'), ...all);
    for (const text of [
      'traffic_cg.op.op[3]',
      'Holes: 10',
      'Who hits what: 4 bins',
      'Ranking: 2 of 2 runs',
      'Gained: 4 bins',
      'only here: traffic_cg',
    ]) {
      expect(out).to.contain(text);
    }
    expect((await coverage(at('one'), '--format', 'md')).out).to.contain('| traffic_cg | 14 | 4 | 28.57 % |');
  });

  it('prints JSON that holds all of it, and of runs no hits', async () => {
    const { out } = await coverage(at('one'), '--format', 'json', '--rank', '--holes');
    const { tree, ranking, holes } = JSON.parse(out);
    expect([tree.coverage.covered, ranking.ranked.length, holes.length]).to.deep.equal([4, 2, 10]);
    expect(out).to.not.contain('"hits": {');
  });

  it('plays what would hit holes, into a folder beside the first source, and says what is left', async () => {
    const out = new CapturedOutput();
    const played: (readonly string[])[] = [];
    const run = (argv: readonly string[]): Promise<number> => {
      played.push(argv);
      const hits = hitting(TRAFFIC, { 2: 1, 3: 1, 5: 1 });
      writeStore(join(argv.at(-1) as string, 'coverage.jsonl'), databaseOf([TRAFFIC], [runNamed('e', { hits })]));
      return Promise.resolve(0);
    };
    const argv = [at('one'), '--only', 'traffic_cg.op', '--run-holes'];
    expect(await showCoverage(argv, out, new CapturedOutput(), undefined, run)).to.equal(0);
    const script = at('one/holes.sh');
    expect(played).to.deep.equal([['run', script, '--cov', '--out', at('one/holes')]]);
    const lines = readFileSync(script, 'utf8').trimEnd().split('\n');
    expect(lines.some((line) => line.endsWith(' +OP=3'))).to.equal(true);
    expect(out.text).to.contain(`${lines.length} runs for 2 holes, in ${script}`);
    expect(out.text.trimEnd().split('\n').at(-1)).to.equal('2 of 2 holes closed, 0 left');
    const nothing = new CapturedOutput();
    await showCoverage(
      [at('one'), at('one/holes'), '--only', 'traffic_cg.op', '--run-holes'],
      nothing,
      nothing,
      undefined,
      run,
    );
    expect(played).to.have.length(1);
    expect(nothing.text).to.contain('there are no holes');
  });

  it('fails below a goal', async () => {
    expect((await coverage(at('one'), '--goal', '20')).code).to.equal(0);
    const { code, err } = await coverage(at('one'), '--goal', '90');
    expect(code).to.equal(4);
    expect(err).to.contain('28.57 % of bins are covered, the goal is 90 %');
  });

  it('leaves out what cannot be reached, and fails where that was hit', async () => {
    writeFileSync(at('rules.yaml'), '- { bins: "traffic_cg.op.op[3]", reason: r, reviewed: x }\n');
    expect((await coverage(at('one'), '--exclude', at('rules.yaml'))).last).to.contain('4 of 13 bins');
    writeFileSync(at('rules.yaml'), '- { bins: "traffic_cg.op.op[0]", reason: r, reviewed: x }\n');
    const { code, out } = await coverage(at('one'), '--exclude', at('rules.yaml'));
    expect(code).to.equal(4);
    expect(out).to.contain('COV_UNREACHABLE_HIT traffic_cg.op.op[0] was hit 1 times');
  });

  it('writes the runs together, a page and UCIS', async () => {
    const files = ['--merged', at('all.jsonl'), '--html', at('page.html'), '--ucis', at('cov.xml')];
    expect((await coverage(at('one'), at('two'), ...files)).code).to.equal(0);
    expect(readStore(at('all.jsonl')).runs.map(({ id }) => id)).to.deep.equal(['a', 'b', 'd']);
    expect(readFileSync(at('page.html'), 'utf8')).to.contain('Holes: 11');
    expect(existsSync(at('cov.xml'))).to.equal(true);
  });

  it('names every mistake of a command line, and every folder without coverage', async () => {
    const { code, err } = await coverage('--format', 'xml', '--goal', 'x', '--hole');
    expect(code).to.equal(2);
    for (const text of [
      '--format xml (command line): allowed: text, md, json',
      '--goal x',
      '--hole (command line): unknown flag; did you mean --holes?',
      'needs the folder of a regression',
    ]) {
      expect(err).to.contain(text);
    }
    const missing = await coverage(at('none'), at('one'), at('nothing'));
    expect(missing.code).to.equal(2);
    expect(missing.err).to.contain('none').and.to.contain('nothing');
    expect((await coverage(at('one'), '--only', 'nobody')).err).to.contain('--only nobody: meets nothing');
  });

  it('reads no device, be it named as a store, a plan or exclusions', async () => {
    const device = '/dev/zero';
    const lines = [[device], [at('one'), '--plan', device], [at('one'), '--exclude', device]];
    for (const argv of lines) {
      const { code, err } = await coverage(...argv);
      expect(code, argv.join(' ')).to.equal(2);
      expect(err).to.contain(`${device}: cannot be read, it is a device`);
    }
  });
});
