/** The command line of the published article, on the real harness, from any folder. */

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { main } from '../../../bin/hcaTest.ts';
import { loadRegistry, type Registry } from '../../../bin/registry.ts';
import { readRunRecord } from '../../../regress/readRunRecord.ts';
import { CapturedOutput } from '../support/capturedOutput.ts';

const LINE =
  '-uvmDebug +UVM_VERBOSITY=UVM_LOW +vpdfile+./case/multiqp_wave/wave4109.vpd +UVM_TESTNAME=test_direct_param ' +
  '+HOST_NUM=2 +PROC_NUM=2 +RC_QP_NUM=16 +UC_QP_NUM=0 +UD_QP_NUM=0 +DB_NUM=1 +WRITE_WQE_NUM=0 +READ_WQE_NUM=0 ' +
  '+SEND_WQE_NUM=1 +RECV_WQE_NUM=1 +SG_NUM=1 +DATA_CNT=10 +DATA_UNIT=B -l ./case/multiqp_log/case4109.log';

describe('the published command line', () => {
  let registry: Registry;
  let folder = '';
  let home = '';

  before(async function () {
    registry = await loadRegistry();
    if (registry.nics.length === 0 || registry.tests.length === 0) this.skip();
  });
  beforeEach(() => {
    home = process.cwd();
    folder = mkdtempSync(join(tmpdir(), 'published-'));
    process.chdir(folder);
  });
  afterEach(() => {
    process.chdir(home);
    rmSync(folder, { recursive: true });
  });

  async function run(line: string): Promise<{ code: number; out: string; err: string }> {
    const [out, err] = [new CapturedOutput(), new CapturedOutput()];
    const code = await main(line.split(' '), { registry, out, err, env: {} });
    return { code, out: out.text, err: err.text };
  }

  function records(): ReturnType<typeof readRunRecord>[] {
    return readdirSync('out').map((id) => readRunRecord(join('out', id, 'run.json')));
  }

  it('passes and writes the log that it names', async () => {
    const { code, out, err } = await run(LINE);
    expect(err).to.equal('');
    expect(code, out).to.equal(0);
    expect(readFileSync('case/multiqp_log/case4109.log', 'utf8')).to.match(/\nTEST PASSED test_direct_param seed 1 /);
    const [record] = records();
    expect(record?.counts['checks']).to.be.greaterThan(0);
  });

  it('gives the same transcript for the same seed, another for another, and the same on replay', async () => {
    await run(`${LINE} --quiet`);
    await run(`${LINE} --quiet`);
    await run(`${LINE} --quiet --seed 2`);
    const all = records();
    expect(new Set(all.filter((r) => r.seed === 1).map((r) => r.transcript.hash)).size).to.equal(1);
    expect(new Set(all.map((r) => r.transcript.hash)).size).to.equal(2);
    const [first] = readdirSync('out');
    const { code, out } = await run(`--replay out/${first} +UVM_VERBOSITY=UVM_HIGH`.replace(/out\/\S+/, '$&/run.json'));
    expect(code, out).to.equal(0);
    expect(out).to.match(/REPLAY EQUAL/);
  });
});
