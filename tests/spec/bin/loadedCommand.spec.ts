import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { main } from '../../../bin/hcaTest.ts';
import type { PlayOne } from '../../../bin/run/playCommand.ts';
import { loadRegistry, type Registry } from '../../../bin/registry.ts';
import { openRun } from '../../../bin/run/runOne.ts';
import { readRunRecord } from '../../../regress/readRunRecord.ts';
import type { RunRecord } from '../../../regress/runRecord.ts';
import { CapturedOutput } from '../support/capturedOutput.ts';

describe('the scenario of a command', () => {
  let folder = '';
  let file = '';
  let text = '';
  let registry: Registry;

  before(async () => {
    registry = await loadRegistry();
  });
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'rnic-verify-'));
    file = join(folder, 'case.json');
    await run(`+RC_QP_NUM=1 +SEND_WQE_NUM=1 +WRITE_WQE_NUM=0 +READ_WQE_NUM=0 --dump-scenario ${file}`, 'dumped');
    text = readFileSync(file, 'utf8');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  async function run(line: string, out: string, play: PlayOne = openRun): Promise<{ code: number; text: string }> {
    const output = new CapturedOutput();
    const words = `+UVM_TESTNAME=test_direct_param --quiet --out ${join(folder, out)} ${line}`.split(' ');
    return { code: await main(words, { registry, play, out: output, err: output, env: {} }), text: output.text };
  }

  function recordPath(out: string): string {
    return join(folder, out, readdirSync(join(folder, out))[0] as string, 'run.json');
  }

  function recordIn(out: string): RunRecord {
    return readRunRecord(recordPath(out));
  }

  /** Plays a run for which something happens to the file between the checks and the run. */
  function changing(change: () => void): PlayOne {
    return (spec, types, hooks, bytes) => {
      change();
      return openRun(spec, types, hooks, bytes);
    };
  }

  it('is played and recorded as it was when it was checked, whatever becomes of the file', async () => {
    await run(`--scenario ${file}`, 'plain');
    const expected = recordIn('plain');
    const sha256 = createHash('sha256').update(text).digest('hex');
    expect(expected.scenario).to.deep.equal({ kind: 'file', path: file, sha256 });
    const changes = {
      emptied: () => writeFileSync(file, ''),
      deleted: () => rmSync(file),
      edited: () => writeFileSync(file, text.replace(/"psn": \d+/, '"psn": 12345')),
    };
    for (const [name, change] of Object.entries(changes)) {
      const { code, text: said } = await run(`--scenario ${file}`, name, changing(change));
      expect([code, said.includes('TEST PASSED')], said).to.deep.equal([0, true]);
      const { scenario, transcript } = recordIn(name);
      expect({ scenario, transcript }, name).to.deep.equal({
        scenario: expected.scenario,
        transcript: expected.transcript,
      });
      writeFileSync(file, text);
    }
  });

  it('is not replayed when the file was edited while the run went on', async () => {
    const edited = text.replace(/"psn": \d+/, '"psn": 12345');
    expect(edited).to.not.equal(text);
    await run(
      `--scenario ${file}`,
      'first',
      changing(() => writeFileSync(file, edited)),
    );
    const { code, text: said } = await run(`--replay ${recordPath('first')}`, 'second');
    expect([code, said]).to.satisfy(([c, s]: [number, string]) => c === 2 && /case\.json has changed since/.test(s));
  });

  it('is played again as it was when a planted bug is compared', async () => {
    const play: PlayOne = (spec, types, hooks, bytes) => {
      const opened = openRun(spec, types, hooks, bytes);
      writeFileSync(file, '{}');
      return opened;
    };
    const { code, text: said } = await run(`--scenario ${file} +DUT_FAULT=traffic_class_lost`, 'fault', play);
    expect(code).to.equal(0);
    expect(said).to.match(/traffic_class_lost never acted, the run is the same without it/);
  });
});
