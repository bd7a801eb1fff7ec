import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const main = fileURLToPath(new URL('./main.ts', import.meta.url));

describe('inputs that nobody means', () => {
  it('end with an answer, without a stack trace, and write nothing that was not asked for', () => {
    const words = ['--runs', '40', '--seed', '1', '--lanes', '1', '--seconds', '100'];
    const { status, stdout } = spawnSync(process.execPath, ['--import', 'tsx', main, ...words], { encoding: 'utf8' });
    expect(status, stdout).to.equal(0);
    expect(stdout).to.match(/^fuzz: seed 1, \d+ inputs, 0 violations$/m);
  });
});
