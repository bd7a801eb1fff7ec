import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { main } from '../../../bin/hcaTest.ts';
import { loadRegistry, type Registry } from '../../../bin/registry.ts';
import type { PlayOne } from '../../../bin/run/playCommand.ts';
import type { RunResult } from '../../../bin/run/runSpec.ts';
import { CapturedOutput } from '../support/capturedOutput.ts';
import { fakeRegistry, fakeResult, opened } from '../support/fakeRun.ts';

describe('a run that passes with a planted bug', () => {
  let folder = '';
  let registry: Registry;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'rnic-verify-'));
    registry = await loadRegistry();
  });
  after(() => rmSync(folder, { recursive: true }));

  async function run(line: string, into = folder): Promise<string> {
    const out = new CapturedOutput();
    const typed = `+UVM_TESTNAME=test_direct_param +RC_QP_NUM=2 +SEND_WQE_NUM=1 --quiet --out ${into} ${line}`;
    const words = typed.trim().split(' ');
    await main(words, { registry, out, err: out, env: {} });
    return out.text;
  }

  it('says that the bug never acted, and what it needs', async () => {
    const text = await run('+DUT_FAULT=traffic_class_lost');
    expect(text).to.match(
      /DUT_FAULT=traffic_class_lost never acted.* needs a run with \+TRAFFIC_CLASS=96\n[\s\S]*TEST PASSED/,
    );
  });

  it('says that the bug acted where no check notices', async () => {
    // An entry of the context cache that is written back by halves, when nothing is read back any more.
    expect(await run('+DUT_FAULT=cache_half_line')).to.match(
      /cache_half_line changed what crosses the ports[\s\S]*TEST PASSED/,
    );
  });

  it('says that the bug was noticed where the errors that tell it are switched off', async () => {
    const off = '+uvm_set_action=*,WIRE_ADDRESS,UVM_ERROR,UVM_NO_ACTION';
    expect(await run(`+DUT_FAULT=own_mac_as_destination ${off}`)).to.match(
      /own_mac_as_destination was noticed, by \d+ errors that are switched off\n[\s\S]*TEST PASSED/,
    );
  });

  it('says nothing when the bug is found, and when there is none', async () => {
    expect(await run('+DUT_FAULT=msn_zero')).to.match(/^(?![\s\S]*(?:never acted|changed what))[\s\S]*TEST FAILED/);
    expect(await run('')).to.match(/^(?![\s\S]*(?:never acted|changed what))[\s\S]*TEST PASSED/);
  });

  it('keeps its verdict when somebody interrupts the comparison, with the exit code of the signal', async () => {
    const play: PlayOne = opened((spec, hooks) => {
      const result: RunResult = { ...fakeResult(spec, hooks), parameters: { DUT_FAULT: 'lost_ack' } };
      const again = !spec.plusargs.includes('+DUT_FAULT=lost_ack');
      return again ? { ...result, verdict: 'error', message: '[INTERRUPTED] SIGINT', interruptedBy: 'SIGINT' } : result;
    });
    const out = new CapturedOutput();
    const words = ['+UVM_TESTNAME=test_random', '+DUT_FAULT=lost_ack', '--out', folder];
    const code = await main(words, { registry: fakeRegistry(), play, out, err: out, env: {} });
    expect(code).to.equal(130);
    expect(out.text).to.match(/played for comparison, did not end: \[INTERRUPTED\] SIGINT\n[\s\S]*TEST PASSED/);
  });

  it('writes the files of the run once', async () => {
    const own = join(folder, 'own');
    await run(`+DUT_FAULT=traffic_class_lost --pcap=${join(own, 'w.pcap')}`, own);
    expect(readdirSync(own).length, 'one run folder and one capture').to.equal(2);
  });
});
