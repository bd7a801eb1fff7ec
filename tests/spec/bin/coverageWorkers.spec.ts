import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { main } from '../../../bin/hcaRegress.ts';
import type { WorkerPrograms } from '../../../bin/many/localPool.ts';
import { builtWorkers } from '../support/bundled.ts';
import { CapturedOutput } from '../support/capturedOutput.ts';

const LIST = `
tests:
  - { name: requests, test: test_random, reseed: 3 }
  - { name: calls, test: test_random_verbs, reseed: 1 }
`;

describe('The coverage of a regression', () => {
  const folder = mkdtempSync(join(tmpdir(), 'coverage-'));
  let programs: WorkerPrograms;
  before(() => {
    programs = builtWorkers();
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  async function storeWith(workers: string): Promise<string> {
    const list = join(folder, 'list.yaml');
    const out = join(folder, `workers-${workers}`);
    writeFileSync(list, LIST);
    const output = new CapturedOutput();
    const code = await main(['run', list, '--cov', '--seed', '1', '-j', workers, '--out', out], {
      ...programs,
      out: output,
      err: output,
    });
    expect(code, output.text).to.equal(0);
    expect(output.text).to.match(/^coverage: \d+ of \d+ bins, .* 4 runs; /m);
    // Processor time is that of this machine, now.
    return readFileSync(join(out, 'coverage.jsonl'), 'utf8').replace(/"cpuMs":[\d.]+/g, '"cpuMs":0');
  }

  it('is the same store whether one worker or two have measured it', async () => {
    const [one, two] = [await storeWith('1'), await storeWith('2')];
    expect(one.split('\n').length).to.be.above(4);
    expect(one === two, 'stores of 1 and of 2 workers').to.equal(true);
  });
});
