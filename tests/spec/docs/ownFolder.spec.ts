import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import * as hcaRegress from '../../../bin/hcaRegress.ts';
import * as hcaTest from '../../../bin/hcaTest.ts';
import type { RegressionReport } from '../../../regress/regression.ts';
import { readRunRecord } from '../../../regress/readRunRecord.ts';
import { CapturedOutput } from '../support/capturedOutput.ts';

const PAGE = 'docs/writing-a-test.md';
const TEST = 'verification/testBusyMemory.ts';

describe('the folder of docs/writing-a-test.md, outside of the project', () => {
  let folder = '';

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'rnic-verify-'));
    const blocks = [...readFileSync(PAGE, 'utf8').matchAll(/`(verification\/[^`]+\.ts)`[^`]*```ts\n([\s\S]*?)```/g)];
    expect(blocks.map(([, path]) => path)).to.deep.equal([TEST, 'verification/nics/deafNic.ts']);
    for (const [, path = '', text = ''] of blocks) write(path, text);
  });
  after(() => rmSync(folder, { recursive: true }));

  function write(path: string, text: string): void {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }

  async function call(main: typeof hcaTest.main | typeof hcaRegress.main, line: string) {
    const [out, err] = [new CapturedOutput(), new CapturedOutput()];
    const words = line.replaceAll('verification', join(folder, 'verification')).split(' ');
    const code = await main([...words, '--out', join(folder, 'out'), '--quiet'], { out, err });
    return { code, out: out.text, err: err.text };
  }
  const test = (line: string) => call(hcaTest.main, line);

  function lastRecord(name: string): string {
    const found = readdirSync(join(folder, 'out')).filter((id) => id.startsWith(name));
    return join(folder, 'out', found.sort().at(-1) as string, 'run.json');
  }

  const BUSY = '+TEST_PATH=verification +UVM_TESTNAME=test_busy_memory +RC_QP_NUM=4';

  it('has a test that is listed, runs, and can be replayed', async () => {
    expect((await test('--list-tests +TEST_PATH=verification')).out).to.match(
      /test_busy_memory +directed, on hosts with/,
    );
    const run = await test(BUSY);
    expect([run.code, run.err], run.out).to.deep.equal([0, '']);
    const record = readRunRecord(lastRecord('test_busy_memory'));
    expect(record.testPath.path).to.equal(join(folder, 'verification'));
    expect(record.testPath.sha256).to.match(/^[0-9a-f]{64}$/);
    expect(record.replay).to.contain('+TEST_PATH=');
    const replay = await test(`--replay ${lastRecord('test_busy_memory')} +TEST_PATH=verification`);
    expect([replay.code, /REPLAY EQUAL/.test(replay.out)]).to.deep.equal([0, true]);
    expect(replay.out).not.to.match(/have changed/);
  });

  it('has a NIC model whose bug is found', async () => {
    const smoke = '+TEST_PATH=verification +UVM_TESTNAME=test_smoke +DUT=deaf';
    expect((await test(smoke)).code).to.equal(0);
    expect((await test(`${smoke} +DUT_FAULT=every_third`)).code).to.equal(1);
  });

  it('is played by workers of a regression, whose records say which sources it had', async () => {
    write(
      'list.yaml',
      'tests: [{ name: t, test: test_busy_memory, seeds: [1, 2], plusargs: { TEST_PATH: verification } }]',
    );
    const result = await call(hcaRegress.main, `run ${join(folder, 'list.yaml')} -j 1 --keep all`);
    expect(result.code, result.out + result.err).to.equal(0);
    const report = JSON.parse(readFileSync(join(folder, 'out/report.json'), 'utf8')) as RegressionReport;
    const records = report.results.map((run) => readRunRecord(run.folder));
    const alone = readRunRecord(lastRecord('test_busy_memory'));
    expect(records.map((record) => record.testPath.sha256)).to.deep.equal(Array(2).fill(alone.testPath.sha256));
  });

  it('is noticed when it has changed since a recorded run', async () => {
    const record = lastRecord('test_busy_memory');
    const text = readFileSync(join(folder, TEST), 'utf8');
    write(TEST, `${text}// changed\n`);
    const same = await test(`--replay ${record} +TEST_PATH=verification`);
    expect([
      same.code,
      /REPLAY EQUAL[\s\S]*the tests of \S*verification have changed since/.test(same.out),
    ]).to.deep.equal([0, true]);
    write(TEST, text.replace('3 * US', '4 * US'));
    const other = await test(`--replay ${record} +TEST_PATH=verification`);
    expect([
      other.code,
      /REPLAY CHANGED[\s\S]*the tests of \S*verification have changed/.test(other.out),
    ]).to.deep.equal([0, true]);
  });

  it('keeps no run from playing that does not name it when it has a type error', async () => {
    write(TEST, 'export const wrong: number = "a";\n');
    const wrong = await test(`${BUSY} +MTU=7`);
    expect(wrong.code).to.equal(2);
    expect(wrong.err).to.match(
      / 1\. \+TEST_PATH=\S*verification: 1 type error in 1 file:\n {2}\S*testBusyMemory\.ts:1:14: /,
    );
    expect(wrong.err).to.match(/ 2\. \+MTU=7 is not an MTU/);
    expect((await test('+UVM_TESTNAME=test_smoke')).code).to.equal(0);
    const list = await call(hcaRegress.main, `run ${join(folder, 'list.yaml')}`);
    expect([list.code, /list\.yaml:1:\d+: \+TEST_PATH=.*1 type error/.test(list.err)]).to.deep.equal([2, true]);
  });

  it('is missed when a record is replayed and it has gone', async () => {
    const record = lastRecord('test_busy_memory');
    rmSync(join(folder, 'verification'), { recursive: true });
    expect(existsSync(record)).to.equal(true);
    const { code, err } = await test(`--replay ${record}`);
    expect([
      code,
      /tests of the folder \S*verification, which is not there; name it by \+TEST_PATH/.test(err),
    ]).to.deep.equal([2, true]);
  });
});
