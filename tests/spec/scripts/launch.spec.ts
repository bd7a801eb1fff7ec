import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const LAUNCH = fileURLToPath(new URL('../../../scripts/start/launch.cjs', import.meta.url));

describe('the launcher', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'launch-'));
    mkdirSync(join(folder, 'scripts/start'), { recursive: true });
    copyFileSync(LAUNCH, join(folder, 'scripts/start/launch.cjs'));
    write('installState.cjs', 'exports.isInstalled = () => true;');
    write(
      'sourceStamp.cjs',
      'exports.hasSources = () => true; exports.isBuilt = () => true; exports.takesBuildAsItIs = () => false;',
    );
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function write(name: string, text: string): void {
    writeFileSync(join(folder, 'scripts/start', name), text);
  }

  /** Starts `hca_test` with a program whose modules do `load` and whose `main` does `body`. */
  function launch(body: string, load = ''): [code: number | null, err: string] {
    const program = `exports.isCompiled = () => true; exports.loadPrograms = () => { ${load}; return { main }; };`;
    write('program.cjs', `${program} async function main(argv) { ${body} }`);
    const args = [join(folder, 'scripts/start/launch.cjs'), 'hca_test', 'word'];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    return [status, stderr];
  }

  it('passes the words on and ends with the exit code of the program', () => {
    expect(launch('return argv[0] === "word" ? 1 : 2;')).to.deep.equal([1, '']);
  });

  it('ends by the signal that has interrupted the program, for the shell whose loop it may stand in', () => {
    for (const [code, signal] of [[130, 'SIGINT'] as const, [143, 'SIGTERM'] as const, [129, 'SIGHUP'] as const]) {
      write(
        'program.cjs',
        `exports.isCompiled = () => true; exports.loadPrograms = () => ({ main: async () => ${code} });`,
      );
      const ended = spawnSync(process.execPath, [join(folder, 'scripts/start/launch.cjs'), 'hca_test'], {
        encoding: 'utf8',
      });
      expect([ended.signal, ended.stderr]).to.deep.equal([signal, '']);
    }
  });

  it('does not take the end of a process for success before the program has returned', () => {
    const early = 'hca_test: the process ended (exit code 0) before there was a verdict\n';
    expect(launch('', 'process.exit(0)')).to.deep.equal([3, early]);
    expect(launch('await new Promise(() => {});')).to.deep.equal([3, early]);
    expect(launch('process.exit(7);')).to.deep.equal([3, early.replace('0', '7')]);
  });

  it('ends with the exit code of infrastructure when something is thrown that nobody catches, at any time', () => {
    for (const body of [
      'throw new Error("why");',
      'setTimeout(() => { throw new Error("why"); }); return 0;',
      'Promise.reject(new Error("why")); return 0;',
    ]) {
      const [status, err] = launch(body);
      expect(status, body).to.equal(3);
      expect(err).to.match(/^hca_test: Error: why\n {4}at .*program\.cjs/);
    }
  });

  it('shows no stack of what the file system refused', () => {
    const [status, err] = launch('require("node:fs").readFileSync("/none/x");');
    expect([status, err]).to.deep.equal([3, "hca_test: ENOENT: no such file or directory, open '/none/x'\n"]);
  });
});
