import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { checkSpec } from '../../../bin/run/checkSpec.ts';
import type { NicEntry } from '../../../env/nicKind.ts';
import { resolveHanguConfig } from '../../../dut-model/hangu/model/hanguConfig.ts';
import { HanguNic } from '../../../dut-model/hangu/model/hanguNic.ts';
import type { Frame, LinkUpstream, Nic, NicContext } from '../../../dut-model/nic.ts';
import { loadRegistry, type Registry } from '../../../bin/registry.ts';
import { writeExamples } from '../support/pageExamples.ts';
import { playOn } from '../tests/harness.ts';

describe('docs/connecting-a-dut.md', () => {
  let folder = '';
  let files = new Map<string, string>();
  let registry: Registry;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'rnic-verify-'));
    files = writeExamples('docs/connecting-a-dut.md', folder);
    const page = (await import(pathToFileURL(files.get('bin/wrappedEntry.ts') as string).href)) as {
      WRAPPED: NicEntry;
    };
    const late = (await import(pathToFileURL(files.get('bin/lateEntry.ts') as string).href)) as { LATE_NIC: NicEntry };
    const small = (await import(pathToFileURL(files.get('bin/smallEntry.ts') as string).href)) as {
      SMALL_NIC: NicEntry;
    };
    const shipped = await loadRegistry();
    registry = { ...shipped, nics: [...shipped.nics, page.WRAPPED, late.LATE_NIC, small.SMALL_NIC] };
  });
  after(() => rmSync(folder, { recursive: true }));

  it('has a variation of the shipped NIC whose completions are late, and one that loses some', () => {
    const [plain, late] = ['hangu', 'late'].map((dut) => playOn(registry, 'test_smoke', `+DUT=${dut}`));
    expect([late?.verdict, late?.counts['UVM_WARNING']], late?.log).to.deep.equal(['passed', 0]);
    expect(late?.simulatedTimePs).to.be.above((plain?.simulatedTimePs as number) + 10_000_000);
    const lost = playOn(registry, 'test_smoke', '+DUT=late +DUT_FAULT=lost_completions');
    expect([lost.verdict, lost.signature?.id]).to.deep.equal(['failed', 'SCB_ORDER']);
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

  it('has a NIC that passes where it has nothing to do', () => {
    for (const [test, line, seed] of [
      ['test_random', '+HOST_NUM=3', 3],
      ['test_random', '+HOST_NUM=5 +RC_QP_NUM=1', 4],
      ['test_direct_param', '+DB_NUM=0', 1],
    ] as const) {
      const run = playOn(registry, test, `+DUT=wrapped +NIC_DELAY_NS=100 ${line}`, seed);
      expect(run.counts['UVM_ERROR'], run.log).to.equal(0);
      expect(run.log).to.contain(' 0 frames were sent');
    }
  });

  it('has a NIC whose own error fails the run, also when the run is broken off', async () => {
    const page = (await import(pathToFileURL(files.get('dut-model/wrapped/wrappedNic.ts') as string).href)) as {
      WrappedNic: new (context: NicContext, inner: Nic, delay: number) => Nic & LinkUpstream;
    };
    class Repeating extends page.WrappedNic {
      override send(frame: Frame): void {
        super.send(frame);
        super.send(frame);
      }
    }
    const nic: NicEntry['nic'] = () => (context) =>
      new Repeating(context, new HanguNic(context, resolveHanguConfig({})), 0);
    const wrapped = registry.nics.find(({ name }) => name === 'wrapped') as NicEntry;
    const repeating = { ...registry, nics: [{ ...wrapped, name: 'repeating', nic }] };
    const run = playOn(repeating, 'test_smoke', '+DUT=repeating');
    expect(run.log).to.match(/\[WRAPPED_SENT\] \d+ more frames were sent than acquired/);
    expect(run.verdict).to.equal('failed');
    const broken = playOn(registry, 'test_smoke', '+DUT=wrapped +SIM_TIMEOUT=85us');
    expect(broken.endedBy?.id ?? broken.signature?.id).to.equal('PH_TIMEOUT');
    expect(broken.log.match(/frames were sent/g)).to.have.length(2);
  });

  it('has one with limits of its own, within which random runs stay, and that refuse what is typed', () => {
    for (const seed of [1, 2, 3]) {
      const run = playOn(registry, 'test_random', '+DUT=small', seed);
      expect(run.verdict, run.log).to.be.oneOf(['passed', 'vacuous']);
      expect(Number(run.parameters['SG_NUM'])).to.be.at.most(4);
    }
    const plusargs = ['+UVM_TESTNAME=test_smoke', '+DUT=small', '+RC_QP_NUM=17'];
    expect(checkSpec({ testName: 'test_smoke', seed: 1, plusargs }, registry).join()).to.contain(
      'make 21 queue pairs: their sum must be 1..16; lower them by 5',
    );
  });

  it('has knobs that are checked before the run', () => {
    const problems = checkSpec(
      { testName: 'test_smoke', seed: 1, plusargs: ['+DUT=wrapped', '+NIC_DELAY_NS=-1', '+NIC_DELEY_NS=1'] },
      registry,
    );
    expect(problems.join('\n')).to.contain('use an integer from 0 to 1000000').and.contain('no such knob');
  });
});
