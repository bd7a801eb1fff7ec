import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { writeExamples } from '../support/pageExamples.ts';
import { play } from '../tests/harness.ts';

describe('docs/writing-a-sequence.md', () => {
  let folder = '';
  let files = new Map<string, string>();

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'rnic-verify-'));
    files = writeExamples('docs/writing-a-sequence.md', folder);
  });
  after(() => rmSync(folder, { recursive: true }));

  it('has an example that runs, is found by its name, and is checked', async () => {
    const module = (await import(pathToFileURL(files.get('sequences/library/slotRing.ts') as string).href)) as {
      SlotRing: { typeName: string } & (new () => object);
    };
    const { SlotRing } = module;
    const run = await play(
      'test_sequence',
      `+UVM_TEST_SEQ=${SlotRing.typeName} +RC_QP_NUM=2 +UC_QP_NUM=2 +UD_QP_NUM=1`,
      1,
      (registry) => {
        registry.factory.register(SlotRing.typeName, SlotRing);
      },
    );
    expect(run.verdict, run.log).to.equal('passed');
    expect(run.log).to.contain('[SLOT_RING] 8 records').and.contain('[SEQ_SKIPPED] UD connections are left out');
    expect(run.counts).to.include({ requests_done: 4 * 8, UVM_ERROR: 0, UVM_WARNING: 0 });
    expect(run.counts['checks']).to.be.above(0);
  });

  it('has an example that changes keys, path and rights of working queue pairs', async () => {
    const module = (await import(pathToFileURL(files.get('sequences/library/narrowedRights.ts') as string).href)) as {
      NarrowedRights: { typeName: string } & (new () => object);
    };
    const { NarrowedRights } = module;
    const run = await play('test_sequence', `+UVM_TEST_SEQ=${NarrowedRights.typeName} +RC_QP_NUM=4`, 1, (registry) => {
      registry.factory.register(NarrowedRights.typeName, NarrowedRights);
    });
    expect(run.verdict, run.log).to.equal('passed');
    expect(run.counts, run.log).to.include({ UVM_ERROR: 0, UVM_WARNING: 0 });
  });

  it('has an example that reads registers and rings doorbells beside its traffic', async () => {
    const module = (await import(pathToFileURL(files.get('sequences/library/watchedSends.ts') as string).href)) as {
      WatchedSends: { typeName: string } & (new () => object);
    };
    const { WatchedSends } = module;
    const line = `+UVM_TEST_SEQ=${WatchedSends.typeName} +RC_QP_NUM=1 +UD_QP_NUM=1 +UVM_VERBOSITY=UVM_HIGH`;
    const run = await play('test_sequence', line, 1, (registry) => {
      registry.factory.register(WatchedSends.typeName, WatchedSends);
    });
    expect(run.verdict, run.log).to.equal('passed');
    expect(run.log).to.match(/\[WATCHED\] 5 answers, the last \w+/);
    expect(run.log).to.contain('hca0.pcie.driver [PCIE_ITEM] BAR 2 write 0x1000: 0xa 0x6302');
    expect(run.counts).to.include({ UVM_ERROR: 0, UVM_WARNING: 0 });
  });
});
