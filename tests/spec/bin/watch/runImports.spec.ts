import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { ImportGraph } from '../../../../bin/many/touched/importGraph.ts';
import { RunImports } from '../../../../bin/many/touched/runImports.ts';
import { Registries } from '../../../../bin/registries.ts';
import { loadRegistry } from '../../../../bin/registry.ts';
import type { Job } from '../../../../regress/job.ts';
import { aJob } from '../../support/jobs.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

describe('What imports what', () => {
  it('is followed at any distance, over cycles, and not beyond files that are cut', async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'graph-')));
    try {
      mkdirSync(join(folder, 'deep'));
      const files = {
        'a.ts': "import { b } from './b.ts'; import 'node:fs'; import 'nowhere'; export const a = b;",
        'b.ts': "import { c } from './deep/c.ts'; export const b = c;",
        'deep/c.ts': "import type { T } from '../t.ts'; import '../b.ts'; export const c: T = 1;",
        't.ts': 'export type T = number;',
        'other.ts': 'export const other = 1;',
      };
      for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
      const entries = ['a.ts', 'other.ts', 'gone.ts'].map((name) => join(folder, name));
      const graph = await ImportGraph.of(entries, folder);
      const names = (found: ReadonlySet<string>): string[] =>
        [...found].map((path) => path.slice(folder.length + 1)).sort();
      const reached = names(graph.reached([join(folder, 'a.ts')]));
      expect(reached).to.include.members(['a.ts', 'b.ts', 'deep/c.ts']).and.not.to.include('other.ts');
      expect(names(graph.reached([join(folder, 'a.ts')], new Set([join(folder, 'b.ts')])))).to.not.include('deep/c.ts');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('A change of a file', () => {
  const sequence = (id: string, name: string, ...more: readonly string[]): Job =>
    aJob({ id, argv: ['+UVM_TESTNAME=test_sequence', `+UVM_TEST_SEQ=${name}`, ...more], where: 'lists/mine.yaml:3:5' });
  const jobs = [
    sequence('ping', 'ping_pong'),
    sequence('blue', 'ping_pong', '+DUT=blue'),
    aJob({ id: 'random', argv: ['+UVM_TESTNAME=test_random'], where: 'case/x.sh:7' }),
    aJob({ id: 'both', argv: ['+UVM_TESTNAME=test_random', '+DUT=0:hangu,1:card', '--scenario', 'lists/s.json'] }),
  ];
  const startedIn = process.cwd();
  let registries: Registries;
  let imports: RunImports;

  before(async () => {
    process.chdir(ROOT);
    registries = new Registries(await loadRegistry(), () => {});
    imports = await RunImports.of(jobs, registries);
  });
  after(() => process.chdir(startedIn));

  const touchedBy = (...files: readonly string[]): readonly string[] => imports.touchedBy(files).map(({ id }) => id);

  it('touches runs whose sequence, test or kind of NIC imports it, all where every run goes through it, and none else', () => {
    const { registry } = registries.of(undefined, ROOT);
    const ping = registry.sequences.find(({ name }) => name === 'ping_pong')?.file ?? '';
    expect(touchedBy(ping)).to.deep.equal(['ping', 'blue']);
    expect(touchedBy('tests/testRandom.ts')).to.deep.equal(['random', 'both']);
    expect(touchedBy('dut-model/blue-rdma/entry.ts')).to.deep.equal(['blue']);
    expect(touchedBy('dut-model/card-memory/entry.ts')).to.deep.equal(['both']);
    expect(touchedBy('scoreboard/scoreboard.ts')).to.deep.equal(['ping', 'blue', 'random', 'both']);
    expect(touchedBy('docs/running.md', 'tests/spec/setup.ts')).to.deep.equal([]);
  });

  it('touches runs of the list or script, or with the input, that it is', () => {
    expect(touchedBy('lists/mine.yaml')).to.deep.equal(['ping', 'blue']);
    expect(touchedBy('case/x.sh')).to.deep.equal(['random']);
    expect(touchedBy('lists/s.json')).to.deep.equal(['both']);
  });
});
