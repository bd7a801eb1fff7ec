import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { main } from '../../../../bin/hcaRegress.ts';
import type { WorkerPrograms } from '../../../../bin/many/localPool.ts';
import type { RegressionReport } from '../../../../regress/regression.ts';
import { readJournal } from '../../../../regress/readJournal.ts';
import { builtWorkers } from '../../support/bundled.ts';
import { CapturedOutput } from '../../support/capturedOutput.ts';

describe('a regression that shrinks its failures', () => {
  let folder = '';
  let workers: WorkerPrograms = {};
  before(function () {
    this.timeout(600_000);
    folder = mkdtempSync(join(tmpdir(), 'buckets-'));
    workers = builtWorkers();
  });
  after(() => rmSync(folder, { recursive: true }));

  it('has the shrunk case of each bucket in its list, its reports and its journal, and says of passing runs what a planted bug did', async () => {
    const script = join(folder, 's.sh');
    const line = './hca_test +UVM_TESTNAME=test_direct_param +RC_QP_NUM=1 +SEND_WQE_NUM=1';
    const bugs = ['msn_zero', 'traffic_class_lost'];
    writeFileSync(script, bugs.map((bug) => `${line} +DUT_FAULT=${bug}\n`).join(''));
    const out = new CapturedOutput();
    const into = join(folder, 'o');
    const argv = ['run', script, '-q', '-j', '1', '--shrink', '--shrink-seconds', '2', '--out', into];
    const code = await main(argv, { ...workers, out, err: out });
    expect(code, out.text).to.equal(1);
    const scenario = join(into, 'runs/s.line1/shrunk.yaml');
    expect(out.text).to.match(
      /shrunk to \d+ calls and \d+ requests?.* \(the run without \+DUT_FAULT=msn_zero passes\)/,
    );
    expect(out.text).to.contain(`play it: ./hca_test +DUT_FAULT=msn_zero --scenario ${scenario}`);
    expect(out.text).to.match(/1 of 2 runs passed with a planted bug: \+DUT_FAULT=traffic_class_lost never acted/);
    expect(readFileSync(scenario, 'utf8')).to.contain('Fails with [WIRE_MSN]');
    const { results } = JSON.parse(readFileSync(join(into, 'report.json'), 'utf8')) as RegressionReport;
    expect(results[0]?.cause?.shrunk?.scenario).to.equal(scenario);
    expect(readJournal(into).results.get('s/line1')?.cause?.shrunk?.scenario).to.equal(scenario);
    expect(readFileSync(join(into, 'junit.xml'), 'utf8')).to.contain('name="shrunk" value="runs/s.line1/shrunk.yaml"');
  }).timeout(120_000);
});
