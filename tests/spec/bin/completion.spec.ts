import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { main } from '../../../bin/hcaTest.ts';
import { completionScript } from '../../../bin/cli/completion.ts';
import { REGRESS_FLAGS } from '../../../bin/cli/regressFlags.ts';
import { TEST_FLAGS } from '../../../bin/cli/testFlags.ts';
import { CapturedOutput } from '../support/capturedOutput.ts';

describe('completion of command lines', () => {
  /** What bash offers for a line that ends where the cursor is. */
  function offered(line: string): string[] {
    const words = line.split(' ');
    const script = `${completionScript('bash')}
      compopt() { :; }
      COMP_LINE=$1 COMP_POINT=\${#1} COMP_CWORD=$2; shift 2; COMP_WORDS=("$@")
      _rnic_verify; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const argv = ['--norc', '-c', script, 'bash', line, String(words.length - 1), ...words];
    const { status, stdout, stderr } = spawnSync('bash', argv, { encoding: 'utf8' });
    expect([status, stderr]).to.deep.equal([0, '']);
    return stdout.split('\n').filter((word) => word !== '');
  }

  it('offers in bash what begins as the last word does, for each program its own', () => {
    expect(offered('./hca_test --list-t')).to.deep.equal(['--list-tests']);
    expect(offered('hca_test +RC_QP_N')).to.deep.equal(['+RC_QP_NUM=']);
    expect(offered('hca_regress run smoke --reseed')).to.deep.equal(['--reseed', '--reseed-multiplier']);
    expect(offered('hca_test --resume')).to.deep.equal([]);
    expect(offered('hca_perf --rep')).to.include('--report_gbits');
  });

  it('names every flag of the tables in each shell', () => {
    const flags = Object.keys({ ...TEST_FLAGS, ...REGRESS_FLAGS }).filter((name) => name !== 'f');
    const lacks = (text: string, form: (name: string) => string): string[] =>
      flags.filter((name) => !text.includes(form(name)));
    expect(lacks(completionScript('bash'), (name) => `--${name} `)).to.deep.equal([]);
    expect(lacks(completionScript('zsh'), (name) => `'--${name}:`)).to.deep.equal([]);
    expect(lacks(completionScript('fish'), (name) => `-l ${name} `)).to.deep.equal([]);
  });

  it('is printed by hca_test, which refuses other shells', async () => {
    const [out, err] = [new CapturedOutput(), new CapturedOutput()];
    expect(await main(['completion', 'fish'], { out, err, env: {} })).to.equal(0);
    expect(out.text).to.match(/^# Completion .* fish/);
    expect(await main(['completion', 'csh'], { out, err, env: {} })).to.equal(2);
    expect(err.text).to.match(/completion csh: .*bash, zsh, fish/);
  });
});
