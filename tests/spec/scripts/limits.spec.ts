import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** A program under a limit of its shell. */
function limited(limit: string, program: string): { readonly code: number | null; readonly err: string } {
  const { status, stderr } = spawnSync('sh', ['-c', `ulimit ${limit} && ./${program} --version`], {
    cwd: ROOT,
    // To build takes more than to run.
    env: { ...process.env, HCA_SKIP_BUILD_CHECK: '1' },
    encoding: 'utf8',
  });
  return { code: status, err: stderr };
}

describe('a shell that allows too little', () => {
  before(function () {
    if (process.platform !== 'linux') this.skip();
  });

  it('is told so where Node would crash for want of address space', () => {
    const text =
      /^hca_test: this Node does not run in 700000 KiB of address space \(ulimit -v\); write: ulimit -v unlimited\n$/;
    const { code, err } = limited('-v 700000', 'hca_test');
    expect(code).to.equal(3);
    expect(err).to.match(text);
  });

  it('is told how many files must be open', () => {
    for (const [program, files, needed] of [
      ['hca_test', 20, 64],
      ['hca_regress', 200, 512],
    ] as const) {
      const text = `${program}: only ${files} files may be open at a time (ulimit -n), ${needed} are needed; write: ulimit -n 1024\n`;
      expect(limited(`-n ${files}`, program)).to.deep.equal({ code: 3, err: text });
    }
  });

  it('is not spoken of where it allows enough', () => {
    expect(limited('-v 16000000 && ulimit -n 64', 'hca_test')).to.deep.equal({ code: 0, err: '' });
  });
});
