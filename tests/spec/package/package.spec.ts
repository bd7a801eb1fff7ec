import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** Packing takes a minute of processor time: `SPECS_PACKAGE=1`, as a stage of its own in CI. */
const IS_PLAYED = process.env['SPECS_PACKAGE'] === '1';

describe('the packed form, installed where there is no network', () => {
  let folder = '';
  let site = '';

  before(function () {
    if (!IS_PLAYED) this.skip();
    folder = mkdtempSync(join(tmpdir(), 'package-'));
    site = join(folder, 'site');
    execFileSync(process.execPath, ['scripts/package/offlineKit.mjs', site], { cwd: ROOT });
    const ci = ['ci', '--offline', '--no-audit', '--no-fund', '--ignore-scripts', '--cache', join(folder, 'cache')];
    execFileSync('npm', ci, { cwd: site, stdio: 'pipe' });
  });
  after(() => {
    if (folder !== '') rmSync(folder, { recursive: true });
  });

  const installed = (): string => join(site, 'node_modules/rnic-verify');
  const env = { ...process.env, XDG_CACHE_HOME: '' };

  /** A program of the package, started as a user does. */
  function play(name: string, ...words: readonly string[]): { code: number | null; out: string; err: string } {
    env.XDG_CACHE_HOME = join(folder, 'user-cache');
    const argv = ['--offline', '--no', '--', name, ...words];
    const { status, stdout, stderr } = spawnSync('npx', argv, { cwd: site, env, encoding: 'utf8' });
    return { code: status, out: stdout, err: stderr };
  }

  function write(file: string, text: string): void {
    mkdirSync(dirname(join(site, file)), { recursive: true });
    writeFileSync(join(site, file), text);
  }

  it('is the same byte by byte when it is packed again', () => {
    const again = join(folder, 'again');
    mkdirSync(again);
    rmSync(join(ROOT, 'dist/sbom.cdx.json'));
    execFileSync('npm', ['pack', '--silent', '--pack-destination', again], { cwd: ROOT, stdio: 'pipe' });
    const [tarball = ''] = readdirSync(again);
    const hashOf = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');
    expect(hashOf(join(again, tarball))).to.equal(hashOf(join(site, 'tarballs', tarball)));
  });

  it('holds the build, declarations and data, and neither sources nor specs', () => {
    const files = readdirSync(installed(), { recursive: true, encoding: 'utf8' });
    const isSource = (file: string): boolean => /^(?!templates\/).*(?<!\.d)\.ts$/.test(file);
    expect(files.filter((file) => isSource(file) || /\.spec\.|^tests|^dist\/bench/.test(file))).to.deep.equal([]);
    const wanted = ['LICENSE', 'README.md', 'dist/bin/programs.bundle', 'dist/api/uvm.d.ts', 'dist/sbom.cdx.json'];
    expect(wanted.filter((file) => !files.includes(file))).to.deep.equal([]);
    const names = (JSON.parse(readFileSync(join(installed(), 'dist/sbom.cdx.json'), 'utf8')) as Materials).components;
    expect(names.map(({ name }) => name)).to.include.members(['yaml', 'zod', 'esbuild', 'yargs']);
    expect(names.map(({ name }) => name)).not.to.include.members(['typescript', 'mocha']);
  });

  it('runs, replays and plays a list without writing anything below node_modules', () => {
    const before = stateOf(join(site, 'node_modules'));
    const run = play('hca_test', '+UVM_TESTNAME=test_smoke', '--seed', '3', '--out', 'out');
    expect([run.code, run.err], run.out).to.deep.equal([0, '']);
    const [name = ''] = readdirSync(join(site, 'out'));
    const replay = play('hca_test', '--replay', `out/${name}/run.json`, '--out', 'again');
    expect([replay.code, /REPLAY EQUAL/.test(replay.out), replay.err]).to.deep.equal([0, true, '']);
    const list = play('hca_regress', 'run', 'smoke', '-j', '1', '--quiet', '--out', 'smoke');
    expect([list.code, list.err], list.out).to.deep.equal([0, '']);
    expect(play('hca_regress', 'explain', 'SCB_STATUS').out).to.match(/^SCB_STATUS/);
    expect(stateOf(join(site, 'node_modules'))).to.equal(before);
  });

  it('plays a folder of tests that imports its entry points, and says that types are not checked without a compiler', () => {
    write('mine/own.ts', OWN);
    const before = stateOf(join(site, 'node_modules'));
    const run = play('hca_test', '+TEST_PATH=mine', '+UVM_TESTNAME=test_own', '+RC_QP_NUM=1', '--out', 'own');
    expect(run.code, run.out + run.err).to.equal(0);
    expect(run.err).to.match(/types are not checked, for there is no TypeScript/);
    expect(run.err).not.to.match(/imports by file/);
    expect(stateOf(join(site, 'node_modules'))).to.equal(before);
  });

  it('checks the types of such a folder where a compiler is installed', () => {
    symlinkSync(join(ROOT, 'node_modules/typescript'), join(site, 'node_modules/typescript'));
    try {
      const right = play('hca_test', '--list-tests', '+TEST_PATH=mine');
      expect([right.code, right.out.includes('test_own')], right.err).to.deep.equal([0, true]);
      write('wrong/own.ts', OWN.replace("'test_own'", '7'));
      const wrong = play('hca_test', '--list-tests', '+TEST_PATH=wrong');
      expect(wrong.code).to.equal(2);
      expect(wrong.err).to.match(/own\.ts:\d+:\d+: Type 'number' is not assignable to type 'string'/);
    } finally {
      rmSync(join(site, 'node_modules/typescript'));
    }
  });

  it('goes on taking imports by file for one version, with a note', () => {
    write('deep/own.ts', OWN.replace("'rnic-verify/uvm'", "'rnic-verify/uvm/kernel/time.ts'"));
    const run = play('hca_test', '+TEST_PATH=deep', '+UVM_TESTNAME=test_own', '+RC_QP_NUM=1', '--out', 'deep-out');
    expect(run.code, run.out + run.err).to.equal(0);
    expect(run.err).to.match(/imports by file \(rnic-verify\/uvm\/kernel\/time\.ts\) are refused from version/);
  });

  it('makes new things that type-check and pass, and whose planted bug is found', () => {
    for (const kind of ['sequence', 'test', 'nic', 'covergroup']) {
      const made = play('hca_test', 'new', kind, `my_${kind}`, '--into', 'verification');
      expect([made.code, made.err], made.out).to.deep.equal([0, '']);
    }
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const checked = spawnSync(process.execPath, [tsc, '-p', 'verification'], { cwd: site, encoding: 'utf8' });
    expect(checked.stdout).to.equal('');
    for (const kind of ['sequence', 'test', 'nic', 'covergroup']) {
      const list = `verification/lists/my_${kind}.yaml`;
      const run = play('hca_regress', 'run', list, '-j', '1', '--quiet', '--out', `lists/${kind}`);
      expect(run.code, run.out + run.err).to.equal(0);
    }
    const bug = ['+TEST_PATH=verification', '+UVM_TESTNAME=test_smoke', '+DUT=my_nic', '+DUT_FAULT=every_third'];
    expect(play('hca_test', ...bug, '--out', 'bug').code).to.equal(1);
  });

  it('has declarations that a compiler takes for a program of the user, each entry point', () => {
    write('use/all.ts', USE);
    const settings = {
      module: 'NodeNext',
      strict: true,
      noEmit: true,
      types: [],
      skipLibCheck: false,
      lib: ['ES2023'],
    };
    const target = { target: 'ES2023', ...settings };
    write('use/tsconfig.json', JSON.stringify({ compilerOptions: target, include: ['*.ts'] }));
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const checked = spawnSync(process.execPath, [tsc, '-p', 'use'], { cwd: site, encoding: 'utf8' });
    expect(checked.stdout).to.equal('');
  });
});

interface Materials {
  readonly components: readonly { readonly name: string }[];
}

const OWN = `import { type EnvOptions, TestDirectParam } from 'rnic-verify/test';
import { US } from 'rnic-verify/uvm';

export class TestOwn extends TestDirectParam {
  static override readonly typeName: string = 'test_own';

  protected override envOptions(): EnvOptions {
    const options = super.envOptions();
    return { ...options, pcie: { ...options.pcie, memoryLatency: 3 * US } };
  }
}
`;

const USE = `import { Component, covergroup, delay, type Proc, Run, US } from 'rnic-verify/uvm';
import { type Connection, UserSequence } from 'rnic-verify/sequences';
import { TestSequence } from 'rnic-verify/test';
import { hangu, type NicEntry } from 'rnic-verify/dut';
import { QP_TYPE } from 'rnic-verify/rdma';

export class Mine extends UserSequence {
  override *connection({ left, right, type }: Connection): Proc<void> {
    const source = yield* left.source(100);
    if (type === QP_TYPE.rc) yield* left.write(source, yield* right.sink(100));
    yield* delay(2 * US);
  }
}
export const entry: NicEntry = { ...hangu.HANGU_KIND, name: 'mine', base: 'hangu', description: 'mine', faults: [], knobs: hangu.HANGU_KNOBS, nic: () => (context, knobs) => new hangu.HanguNic(context, hangu.resolveHanguConfig(knobs)) };
export const all = [Component, covergroup, Run, TestSequence];
`;

/** Names, sizes and times of all that is below a folder. */
function stateOf(folder: string): string {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  const facts = names.map((name) => join(folder, name)).filter((path) => existsSync(path));
  return facts.map((path) => `${path} ${statSync(path).mtimeMs} ${statSync(path).size}`).join('\n');
}
