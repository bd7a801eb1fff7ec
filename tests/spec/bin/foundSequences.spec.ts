import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { main } from '../../../bin/hcaRegress.ts';
import { CapturedOutput } from '../support/capturedOutput.ts';

describe('sequences of a list that a NIC cannot play', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'found-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  async function dryRun(steps: string): Promise<{ code: number; lines: string }> {
    const list = join(folder, 'all.yaml');
    const sweep = `{ UVM_TEST_SEQ: ${steps} }`;
    writeFileSync(list, `tests:\n  - name: all\n    test: test_sequence\n    sweep: ${sweep}\n`);
    const [out, err] = [new CapturedOutput(), new CapturedOutput()];
    const code = await main(['run', list, '--dry-run'], { out, err });
    return { code, lines: `${out.text}${err.text}` };
  }

  it('are left out, and named, where a pattern has found them', async () => {
    const { code, lines } = await dryRun("['device_*', 'ping_pong']");
    expect(code).to.equal(0);
    expect(lines).to.include('1 run skipped: +UVM_TEST_SEQ=device_memory needs what hangu does not have: cardMemory');
    expect(lines)
      .to.match(/\+UVM_TEST_SEQ=ping_pong/)
      .and.not.match(/\+UVM_TEST_SEQ=device_memory.* --seed/);
  });

  it('are a mistake where the list names them', async () => {
    const { code, lines } = await dryRun("['device_memory', 'ping_pong']");
    expect(code).to.equal(2);
    expect(lines).to.match(/all\.yaml:4:\d+: \+UVM_TEST_SEQ=device_memory needs what hangu does not have: cardMemory/);
  });
});
