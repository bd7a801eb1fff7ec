import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { parseRegressCommand } from '../../../../bin/cli/commands/regressCommand.ts';
import { parseTestCommand } from '../../../../bin/cli/commands/testCommand.ts';
import { REGRESS_FLAGS } from '../../../../bin/cli/regressFlags.ts';
import { TEST_FLAGS } from '../../../../bin/cli/testFlags.ts';
import { main as regress } from '../../../../bin/hcaRegress.ts';
import { main as test } from '../../../../bin/hcaTest.ts';
import { prepared } from '../../../../bin/many/jobs/preparedJobs.ts';
import { configTable } from '../../../../bin/project/configTable.ts';
import { projectDefaults } from '../../../../bin/project/projectDefaults.ts';
import type { ProjectDefaults } from '../../../../bin/project/projectValues.ts';
import { SETTINGS } from '../../../../bin/project/settings.ts';
import { CapturedOutput } from '../../support/capturedOutput.ts';
import { fakeRegistry } from '../../support/fakeRun.ts';
import { aJob } from '../../support/jobs.ts';

describe('defaults of a project', () => {
  let folder = '';
  const before = process.cwd();
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'project-')));
    mkdirSync(join(folder, 'deep/er'), { recursive: true });
  });
  afterEach(() => {
    process.chdir(before);
    rmSync(folder, { recursive: true });
  });

  const config = (text: string): void => writeFileSync(join(folder, 'rnic.config.yaml'), text);
  const read = (env: Readonly<Record<string, string>> = {}, cwd = join(folder, 'deep/er')): Promise<ProjectDefaults> =>
    projectDefaults(cwd, env);

  it('are found from the working directory upwards, with paths as from there', async () => {
    config('out: results\njobs: 3\nknown: [a.yaml, /b.yaml]\nplusargs: { DUT: blue, TEST_PATH: mine, CHECKS: null }\n');
    const { values, plusargs, problems } = await read();
    expect(problems).to.deep.equal([]);
    expect(values.get('out')).to.deep.equal({ value: '../../results', where: '../../rnic.config.yaml:1:1' });
    expect(values.get('known')?.value).to.deep.equal(['../../a.yaml', '/b.yaml']);
    expect(plusargs.map(({ text }) => text)).to.deep.equal(['+DUT=blue', '+TEST_PATH=../../mine', '+CHECKS']);
    expect(plusargs[1]?.where).to.equal('../../rnic.config.yaml:4:24');
  });

  it('give way to the environment, and both to the command line', async () => {
    config('jobs: 3\nkeep: all\nhistory: false\ntimeout: 7\nplusargs: { DUT: blue, RC_QP_NUM: 4 }\n');
    const defaults = await read({ RNIC_VERIFY_JOBS: '5', RNIC_VERIFY_PLUSARGS: '+DUT=card', RNIC_VERIFY_REDIS: 'x' });
    expect(defaults.problems).to.deep.equal([]);
    const plain = parseRegressCommand(['run', 'smoke'], defaults);
    expect([plain.jobs, plain.keep, plain.history, plain.timeoutSeconds, plain.timeoutGiven]).to.deep.equal([
      ...[5, 'all', false, 7, false],
    ]);
    const typed = parseRegressCommand(['run', 'smoke', '-j2', '--keep', 'none', '+DUT=hangu'], defaults);
    expect([typed.jobs, typed.keep, typed.plusargs]).to.deep.equal([2, 'none', ['+DUT=hangu']]);
    expect([...plain.problems, ...typed.problems]).to.deep.equal([]);
    const run = parseTestCommand(['+DUT=hangu', '+UVM_TESTNAME=t'], {}, folder, defaults);
    expect(run.plusargs.map(({ text }) => text)).to.deep.equal(['+DUT=hangu', '+UVM_TESTNAME=t', '+RC_QP_NUM=4']);
    expect(run.timeoutSeconds).to.equal(7);
  });

  it('are for runs that say nothing themselves, also not in a file of arguments, and for no replay', async () => {
    config('plusargs: { RC_QP_NUM: 4, DUT: blue, ECN_PCT: 1 }\n');
    writeFileSync(join(folder, 'own.f'), '+RC_QP_NUM=9\n');
    const command = parseRegressCommand(['run', 'smoke', '+ECN_PCT=2'], await read());
    const { argv } = prepared(aJob({ argv: ['+DUT=hangu', '-f', 'own.f'], cwd: folder }), command);
    expect(argv).to.deep.equal(['+ECN_PCT=2', '+DUT=hangu', '-f', 'own.f']);
    expect(prepared(aJob({ argv: [], cwd: folder }), command).argv).to.include.members(['+RC_QP_NUM=4', '+DUT=blue']);
    const replayed = parseTestCommand(['--replay', 'run.json'], {}, folder, await read());
    expect(replayed.plusargs).to.deep.equal([]);
  });

  it('are refused with the place of every mistake and exit code 2, and nothing is run', async () => {
    config('jbos: 3\nkeep: some\nplusargs: { +DUT: blue }\n');
    process.chdir(join(folder, 'deep'));
    for (const main of [
      (err: CapturedOutput) => regress(['run', 'smoke'], { registry: fakeRegistry(), out: new CapturedOutput(), err }),
      (err: CapturedOutput) => test(['+UVM_TESTNAME=t'], { registry: fakeRegistry(), out: new CapturedOutput(), err }),
    ]) {
      const err = new CapturedOutput();
      expect(await main(err)).to.equal(2);
      expect(err.text).to.match(/rnic\.config\.yaml:1:1: jbos: there is no such setting; did you mean jobs\?/);
      expect(err.text).to.match(/rnic\.config\.yaml:2:7: keep: expected one of "failures"\|"all"\|"none"/);
      expect(err.text).to.match(/rnic\.config\.yaml:3:13: .*DUT/);
    }
    const { problems } = await read(
      { RNIC_VERIFY_JBOS: '1', RNIC_VERIFY_JOBS: 'many', RNIC_VERIFY_PLUSARGS: 'DUT' },
      '/',
    );
    expect(problems).to.have.lengthOf(3);
    expect(problems[0]).to.match(/^RNIC_VERIFY_JBOS \(environment\): .* did you mean RNIC_VERIFY_JOBS\?/);
    config('jobs: [\n');
    expect((await read()).problems[0]).to.match(/rnic\.config\.yaml:\d+:\d+: not YAML/);
  });

  it('are shown by --show-config, each with who has decided it', async () => {
    config('jobs: 3\nknown: a.yaml\nplusargs: { DUT: blue }\n');
    const defaults = await read({ RNIC_VERIFY_HEAP_MB: '512', RNIC_VERIFY_HISTORY: 'false' }, folder);
    const lines = configTable('hca_regress', ['run', 'x', '--keep', 'all'], defaults).split('\n');
    const of = (name: string): string =>
      lines
        .find((line) => line.trim().startsWith(name))
        ?.trim()
        .split(/\s{2,}/)
        .join('|') ?? '';
    expect(['jobs', 'heap-mb', 'keep', 'history', 'known', '+DUT', 'cov'].map(of)).to.deep.equal([
      'jobs|3|rnic.config.yaml:1:1',
      'heap-mb|512|RNIC_VERIFY_HEAP_MB',
      'keep|all|command line',
      'history|false|RNIC_VERIFY_HISTORY',
      'known|a.yaml|rnic.config.yaml:2:1',
      '+DUT=blue|rnic.config.yaml:3:13',
      'cov|false|default',
    ]);
    process.chdir(folder);
    for (const words of [['--show-config'], ['run', 'smoke', '--show-config']]) {
      const [out, err] = [new CapturedOutput(), new CapturedOutput()];
      expect(await regress(words, { registry: fakeRegistry(), out, err }), err.text).to.equal(0);
      expect(out.text).to.contain('rnic.config.yaml:1:1');
    }
  });

  it('have the names of flags of the programs that take them', () => {
    const flags = { hca_test: Object.keys(TEST_FLAGS), hca_regress: Object.keys(REGRESS_FLAGS) };
    for (const [name, setting] of Object.entries(SETTINGS))
      for (const program of setting.of) expect(flags[program]).to.include('flag' in setting ? setting.flag : name);
  });
});
