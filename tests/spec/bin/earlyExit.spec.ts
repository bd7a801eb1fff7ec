import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { withLastWords } from '../../../bin/run/earlyExit.ts';
import { readRunRecord } from '../../../regress/readRunRecord.ts';
import { bundledUrl } from '../support/bundled.ts';

const parts = bundledUrl('tests/spec/support/programParts.ts');
const HOME = fileURLToPath(new URL('../../../', import.meta.url));

describe('a process that ends in the middle of a run', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'exit-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** `hca_test` with a run that does `body`, in a process of its own. */
  function run(body: string, arg: string): { status: number | null; out: string } {
    const script = `
      const { main, fakeRegistry, fakeResult, opened } = await import('${parts}');
      const play = opened((spec, hooks) => { ${body} });
      const argv = ['+UVM_TESTNAME=test_direct_param', '--out', '${folder}', '${arg}'];
      process.exitCode = await main(argv, { registry: fakeRegistry(), play, env: {} });`;
    const args = ['--input-type=module', '-e', script];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: HOME, encoding: 'utf8' });
    return { status, out: stdout + stderr };
  }

  it('has a verdict, a log, a record and the exit code of infrastructure, whatever code was asked for', () => {
    for (const asked of [0, 7]) {
      const { status, out } = run(`hooks.sink('so far'); process.exit(${asked});`, `--seed=${asked}`);
      expect(status).to.equal(3);
      expect(out).to.match(
        /\nTEST FAILED ERROR test_direct_param seed \d .*\[RUN_EXIT\] process\.exit\(\d\) was called/,
      );
      expect(out).to.match(/\nreplay: \.\/hca_test .*--seed \d\n$/);
      const [id = ''] = readdirSync(folder).filter((name) => name.includes(`-s${asked}-`));
      expect(readRunRecord(join(folder, id, 'run.json')).signature?.id).to.equal('RUN_EXIT');
      expect(readFileSync(join(folder, id, 'run.log'), 'utf8')).to.match(/^so far\nTEST FAILED ERROR/);
    }
  });

  it('says how far the run had come', () => {
    const soFar = `{ counts: { checks: 4 }, simulatedTimePs: 2500000, transcript: { hash: 'ab', events: 3 }, parameters: {} }`;
    const { out } = run(`hooks.begun(() => (${soFar})); process.exit(1);`, '--seed=5');
    expect(out).to.match(
      /\nTEST FAILED ERROR test_direct_param seed 5 \(4 checks, 2\.5us simulated, .*transcript ab\)/,
    );
    const [id = ''] = readdirSync(folder);
    const record = readRunRecord(join(folder, id, 'run.json'));
    expect(record.simulatedTimePs).to.equal(2_500_000);
    expect(record.signature?.time).to.equal(2_500_000);
    expect(record.transcript).to.include({ hash: 'ab', events: 3 });
  });

  it('keeps the verdict of the run when the one played for comparison ends the process', () => {
    const body = `
      if (spec.plusargs.length === 1) process.exit(0);
      const result = fakeResult(spec, hooks);
      return { ...result, parameters: { DUT_FAULT: 'lost_ack' } };`;
    const { status, out } = run(body, '+DUT_FAULT=lost_ack');
    expect(status).to.equal(3);
    expect(out).to.match(/without its planted bug, played for comparison: process\.exit\(0\)[\s\S]*TEST PASSED/);
  });

  it('has a verdict also when a callback ends it that the run has left behind', () => {
    const { status, out } = run(`setImmediate(() => process.exit(0)); return fakeResult(spec, hooks);`, '--seed=4');
    expect(status).to.equal(3);
    expect(out).to.match(/\nTEST FAILED ERROR test_direct_param seed 4 .*\[RUN_EXIT\] process\.exit\(0\) was called/);
    expect(out).not.to.match(/TEST PASSED/);
  });

  it('costs nothing where nobody ends the process', async () => {
    const before = process.listenerCount('exit');
    const within = await withLastWords(
      () => {},
      () => process.listenerCount('exit'),
    );
    expect(within).to.equal(before + 1);
    expect(process.listenerCount('exit')).to.equal(before);
  });
});
