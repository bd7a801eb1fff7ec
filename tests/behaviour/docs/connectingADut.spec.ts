import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { checkSpec } from '../../../bin/checkSpec.ts';
import type { NicEntry } from '../../../bin/nicEntry.ts';
import { loadRegistry, type Registry } from '../../../bin/registry.ts';
import { typeErrors, writeExamples } from '../../support/pageExamples.ts';
import { playOn } from '../../unit/tests/harness.ts';

describe('docs/connecting-a-dut.md', function () {
  this.timeout(120_000);
  let folder = '';
  let files = new Map<string, string>();
  let registry: Registry;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'rnic-verify-'));
    files = writeExamples('docs/connecting-a-dut.md', folder);
    const page = (await import(pathToFileURL(files.get('bin/wrappedEntry.ts') as string).href)) as {
      WRAPPED: NicEntry;
    };
    const shipped = await loadRegistry();
    registry = { ...shipped, nics: [...shipped.nics, page.WRAPPED] };
  });
  after(() => rmSync(folder, { recursive: true }));

  it('has examples without a type error', () => {
    expect(typeErrors(files.values())).to.deep.equal([]);
  });

  it('has a NIC that passes, whose knob is obeyed, and which is told that the run is over', () => {
    const near = playOn(registry, 'test_smoke', '+DUT=wrapped +NIC_DELAY_NS=0');
    const far = playOn(registry, 'test_smoke', '+DUT=wrapped +NIC_DELAY_NS=3000');
    for (const run of [near, far]) {
      expect([run.verdict, run.counts['UVM_WARNING']], run.log).to.deep.equal(['passed', 0]);
      expect(run.log.match(/env\.hca[01] \[WRAPPED\] \d+ frames were sent/g)).to.have.length(2);
    }
    expect(far.simulatedTimePs).to.be.above(near.simulatedTimePs + 10_000_000);
  });

  it('has a planted bug that is caught', () => {
    const run = playOn(registry, 'test_smoke', '+DUT=wrapped +DUT_FAULT=flipped_bit');
    expect([run.verdict, run.signature?.id], run.message).to.deep.equal(['failed', 'WIRE_ICRC']);
  });

  it('has a NIC whose own error fails the run, also when the run is broken off', () => {
    const idle = playOn(registry, 'test_direct_param', '+DUT=wrapped +DB_NUM=0');
    expect(idle.log).to.contain('[WRAPPED_IDLE] no frame was sent');
    expect(idle.verdict).to.equal('failed');
    const broken = playOn(registry, 'test_smoke', '+DUT=wrapped +SIM_TIMEOUT=85us');
    expect(broken.endedBy?.id ?? broken.signature?.id).to.equal('PH_TIMEOUT');
    expect(broken.log.match(/frames were sent/g)).to.have.length(2);
  });

  it('has knobs that are checked before the run', () => {
    const problems = checkSpec(
      { testName: 'test_smoke', seed: 1, plusargs: ['+DUT=wrapped', '+NIC_DELAY_NS=-1', '+NIC_DELEY_NS=1'] },
      registry,
    );
    expect(problems.join('\n')).to.contain('use an integer from 0 to 1000000').and.contain('no such knob');
  });
});
