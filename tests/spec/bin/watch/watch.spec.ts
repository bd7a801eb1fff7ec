import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { bundledFile } from '../../support/bundled.ts';

/**
 * Stands for `hca_regress run`: a dry run names a run; any other one notes its words, and goes on until it is stopped while
 * there is a file `slow`.
 */
const PROGRAM = `#!/bin/sh
case "$*" in *--dry-run*) echo './hca_test +UVM_TESTNAME=t  # t-s1'; exit 0;; esac
trap 'echo stopped >> calls; exit 130' INT
echo "$*" >> calls
while [ -e slow ]; do sleep 0.05; done
echo ended >> calls
`;

describe('hca_regress watch', () => {
  let folder = '';
  let child: ChildProcess;
  let said = '';

  beforeEach(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'watch-')));
    const program = file('program', PROGRAM);
    chmodSync(program, 0o755);
    file('list.yaml', '');
    said = '';
    const argv = [bundledFile('tests/spec/support/regressRunner.ts'), '', '', 'watch', 'list.yaml', '-q'];
    child = spawn(process.execPath, argv, { cwd: folder, env: { ...process.env, HCA_REGRESS_CALLED_AS: program } });
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        said += text;
      });
    await until(() => said.includes('watching'));
  });
  afterEach(() => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  function file(name: string, text: string): string {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  }

  const calls = (): string[] =>
    existsSync(join(folder, 'calls')) ? readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n') : [];

  async function until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      if (child.exitCode !== null) throw new Error(`it has ended: ${said}`);
      await new Promise((resolve) => void setTimeout(resolve, 20));
    }
  }

  it('plays once what files touch that are saved together, and leaves alone what is no source', async () => {
    file('notes.md', 'x');
    file('.hidden.ts', 'x');
    file('b.ts', 'x');
    file('a.ts', 'x');
    await until(() => calls().includes('ended'));
    expect(calls()[0]).to.equal('run list.yaml -q --touched-by a.ts --touched-by b.ts --no-history');
    await until(() => said.includes('waiting for changes'));
    expect(calls()).to.have.lengthOf(2);
  });

  it('stops a play at a further change, and then plays what both touch', async () => {
    file('slow', '');
    file('a.ts', 'x');
    await until(() => calls().length === 1);
    rmSync(join(folder, 'slow'));
    file('slow', '');
    file('b.yaml', 'x');
    await until(() => calls().length === 3);
    expect(calls().slice(1)).to.deep.equal([
      'stopped',
      'run list.yaml -q --touched-by a.ts --touched-by b.yaml --no-history',
    ]);
  });

  it('ends with Ctrl-C, and what it plays with it', async () => {
    file('slow', '');
    file('a.ts', 'x');
    await until(() => calls().length === 1);
    child.kill('SIGINT');
    const [code] = (await once(child, 'exit')) as [number];
    expect([code, calls().at(-1)]).to.deep.equal([130, 'stopped']);
  });
});
