/** The shipped smoke list on the real harness: every run passes. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { main } from '../../../bin/hcaRegress.ts';
import { loadRegistry, type Registry } from '../../../bin/registry.ts';
import type { RegressionReport } from '../../../regress/regression.ts';
import { builtWorkers } from '../support/bundled.ts';
import { CapturedOutput } from '../support/capturedOutput.ts';

describe('lists/smoke.yaml', () => {
  let registry: Registry;
  let folder = '';

  before(async function () {
    registry = await loadRegistry();
    if (registry.nics.length === 0 || registry.tests.length === 0) this.skip();
  });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'smoke-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  async function play(workers: string, ...more: string[]): Promise<RegressionReport> {
    const [out, err] = [new CapturedOutput(), new CapturedOutput()];
    const code = await main(['run', 'lists/smoke.yaml', '-j', workers, ...more, '--out', join(folder, workers)], {
      registry,
      ...builtWorkers(),
      out,
      err,
    });
    expect(code, out.text + err.text).to.equal(0);
    return JSON.parse(readFileSync(join(folder, workers, 'report.json'), 'utf8')) as RegressionReport;
  }

  it('passes, and checks something', async () => {
    const { results, summary } = await play('2');
    expect(results).to.have.length.above(4);
    expect(summary.total.checks).to.be.greaterThan(0);
  });
});
