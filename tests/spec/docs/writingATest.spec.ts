import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { COMPONENT_CATALOG } from '../../../bin/componentCatalog.ts';
import { type FoundModule, loadRegistry, registryOf } from '../../../bin/registry.ts';
import { writeExamples } from '../support/pageExamples.ts';
import { playOn } from '../tests/harness.ts';

const PAGE = 'docs/writing-a-test.md';

describe('docs/writing-a-test.md', () => {
  let folder = '';
  let files = new Map<string, string>();

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'rnic-verify-'));
    files = writeExamples(PAGE, folder);
  });
  after(() => rmSync(folder, { recursive: true }));

  async function example(path: string): Promise<FoundModule> {
    const exports = (await import(pathToFileURL(files.get(path) as string).href)) as FoundModule['exports'];
    return { folder: path.slice(0, path.lastIndexOf('/')), name: 'example', exports };
  }

  it('has a test that runs, and whose options reach the environment', async () => {
    const registry = registryOf([await example('tests/testSlowMemory.ts')]);
    expect(registry.tests.map((t) => t.lineage)).to.deep.equal([['test_slow_memory', 'test_direct_param']]);
    const slow = playOn(registry, 'test_slow_memory', '+RC_QP_NUM=4 +SEND_WQE_NUM=8');
    expect(slow.verdict, slow.log).to.equal('passed');
    const plain = playOn(await loadRegistry(), 'test_direct_param', '+RC_QP_NUM=4 +SEND_WQE_NUM=8');
    expect(slow.simulatedTimePs).to.be.above(2 * plain.simulatedTimePs);
  });

  it('has a link that loses frames, and a run that passes all the same', async () => {
    const registry = registryOf([await example('tests/testLossyLink.ts')]);
    for (let seed = 1; seed <= 12; seed++) {
      const run = playOn(registry, 'test_lossy_link', '+RC_QP_NUM=4 +WRITE_WQE_NUM=8 +DATA_CNT=8 +DATA_UNIT=KB', seed);
      expect([run.verdict, run.counts['UVM_WARNING']], run.log).to.deep.equal(['passed', 0]);
      expect(run.log).to.match(/\[LOST\] [1-9]\d* frames were lost/);
    }
  });

  it('has a component that takes the place of another from the command line', async () => {
    const registry = await loadRegistry();
    const { exports } = await example('env/library/talkingScoreboard.ts');
    const own = registryOf([{ folder: 'env/library', name: 'talkingScoreboard', exports }]);
    expect(own.tests.length + own.sequences.length, 'it is no test').to.equal(0);
    registry.factory.register('talking_scoreboard', exports['TalkingScoreboard'] as never);
    for (const override of [
      '+uvm_set_type_override=Scoreboard,talking_scoreboard',
      '+uvm_set_inst_override=Scoreboard,talking_scoreboard,uvm_test_top.env.scoreboard',
    ]) {
      const run = playOn(registry, 'test_smoke', override);
      expect([run.verdict, run.unused], run.log).to.deep.equal(['passed', []]);
      expect(run.log).to.match(/uvm_test_top\.env\.scoreboard \[SCB_QP\] queue pair \d+ of host 0/);
    }
  });

  it('has a checker that finds what takes too long, and nothing else', async () => {
    const registry = registryOf([await example('tests/testLatency.ts')]);
    const run = (more: string) => playOn(registry, 'test_latency', `+RC_QP_NUM=4 +SEND_WQE_NUM=8 ${more}`);
    expect(run('').verdict).to.equal('passed');
    const late = run('+MAX_US=2');
    expect([late.verdict, late.signature?.id]).to.deep.equal(['failed', 'LATENCY']);
    expect(late.signature?.component).to.equal('uvm_test_top.latency');
    expect(late.log)
      .to.match(/\[LATENCY\] host 0 QP \d+: request \d+ took \d/)
      .and.match(/more findings of this kind/);
  });

  it('lists every component that can be overridden', () => {
    const page = readFileSync(PAGE, 'utf8');
    for (const name of Object.keys(COMPONENT_CATALOG)) expect(page, name).to.contain(`\`${name}\``);
  });
});
