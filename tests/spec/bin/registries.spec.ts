import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { Registries } from '../../../bin/registries.ts';
import { loadRegistry } from '../../../bin/registry.ts';
import { checkSpec } from '../../../bin/run/checkSpec.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** Modules as they come out of the compiler. */
const MODULES = {
  a: `
import { TestSmoke } from '${ROOT}tests/testSmoke.ts';
import { PingPong } from '${ROOT}sequences/library/messages/pingPong.ts';
import { Scoreboard } from '${ROOT}scoreboard/scoreboard.ts';
export { TestSmoke };
class Reader extends TestSmoke { static plusargs = { BURST: 'requests of a burst', GAP: 'a gap' }; }
export class TestOwn extends Reader {
  static typeName = 'test_own';
  static description = 'ours';
  static plusargs = { GAP: 'time between bursts' };
}
export class Nameless extends TestSmoke {}
export class Own extends PingPong { static typeName = 'own'; }
export class OwnScoreboard extends Scoreboard { static typeName = 'own_scoreboard'; static plusargs = { DEPTH: 'a depth' }; }
import { HANGU_KIND } from '${ROOT}dut-model/hangu/driver/kind/hanguKind.ts';
export const NIC = { ...HANGU_KIND, name: 'deaf', description: '', faults: [], knobs: [], nic: () => () => ({}) };
export const helper = () => 1;
`,
  b: `export * from './a.mjs';\nimport { NIC } from './a.mjs';\nexport const SECOND = { ...NIC, name: 'hangu' };\n`,
  d: `
import { TestSmoke } from '${ROOT}tests/testSmoke.ts';
export class A extends TestSmoke { static typeName = 'test_a'; static plusargs = { '+BURST': 'a burst' }; }
export class B extends TestSmoke { static typeName = 'test_b'; static plusargs = ['BURST']; }
export class C extends TestSmoke { static typeName = 'test_c'; static plusargs = { BURST: 3 }; }
`,
  c: `export const OLD = { name: 'old', faults: [], knobs: [], nic: () => () => ({}) };\n`,
  e: `import { NIC } from './a.mjs';
export const FIRST = { ...NIC, name: 'young', base: 'hangu' };
export const SECOND = { ...NIC, name: 'younger', base: 'yung' };
export const THIRD = { ...NIC, name: 'own', base: 'own' };
`,
};

describe('the registries of a program', () => {
  let output = '';
  beforeEach(() => {
    output = mkdtempSync(join(tmpdir(), 'registries-'));
    for (const [name, text] of Object.entries(MODULES)) writeFileSync(join(output, `${name}.mjs`), text);
  });
  afterEach(() => rmSync(output, { recursive: true }));

  const opened = async (modules: readonly string[]) => {
    const compiled = { '/w/own': { output, modules, sha256: 'ab' } };
    const base = await loadRegistry();
    const registries = new Registries(base, expect.fail, compiled);
    return { base, registries, open: await registries.open('own', '/w') };
  };

  it('know the plusargs that classes of a folder declare, and say what is wrong with a declaration', async () => {
    const { base, open } = await opened(['a', 'd']);
    expect([...(open.registry.plusargs ?? [])].map(([name]) => name)).to.include.members(['BURST', 'GAP', 'DEPTH']);
    expect(base.plusargs?.has('BURST')).to.equal(false);
    const shape = "write static readonly plusargs = { BURST: 'what it is for' }";
    expect(open.problems).to.deep.equal([
      `+TEST_PATH=own: own/d.ts: test_a: '+BURST' is no name of a plusarg: letters, digits and _, without the +; ${shape}`,
      `+TEST_PATH=own: own/d.ts: test_b: its plusargs are no table of names and texts; ${shape}`,
      `+TEST_PATH=own: own/d.ts: test_c: its plusarg BURST has no text; ${shape}`,
    ]);
  });

  it('refuse a NIC model whose base is no kind, and say which may be meant', async () => {
    const { open } = await opened(['a', 'e']);
    const known = 'known: hangu, blue, card, deaf, young, own';
    expect(open.problems).to.deep.equal([
      `+TEST_PATH=own: the NIC model younger: base 'yung' is no kind of NIC; did you mean young?; ${known}`,
      '+TEST_PATH=own: the NIC model own names itself as its base; leave base out',
    ]);
  });

  it('find tests and sequences of a folder by what they extend, beside those of the project', async () => {
    const { base, open } = await opened(['a']);
    const { registry, problems, sha256 } = open;
    expect([problems, sha256]).to.deep.equal([[], 'ab']);
    expect(registry.tests.slice(base.tests.length)).to.deep.equal([
      {
        name: 'test_own',
        description: 'ours',
        file: 'own/a.ts',
        lineage: ['test_own', 'test_smoke', 'test_direct_param'],
        plusargs: new Map([
          ['GAP', 'time between bursts'],
          ['BURST', 'requests of a burst'],
        ]),
      },
    ]);
    expect(registry.sequences.slice(base.sequences.length).map(({ name }) => name)).to.deep.equal(['own']);
    expect(registry.nics.map(({ name }) => name)).to.deep.equal([...base.nics.map(({ name }) => name), 'deaf']);
    expect([registry.factory.has('own_scoreboard'), base.factory.has('own_scoreboard')]).to.deep.equal([true, false]);
  });

  it('name a class without a name when a test is not found', async () => {
    const { open } = await opened(['a']);
    const spec = { testName: 'test_onw', seed: 1, plusargs: ['+UVM_TESTNAME=test_onw'] };
    expect(checkSpec(spec, open.registry)).to.deep.equal([
      '+UVM_TESTNAME=test_onw: there is no such test; did you mean test_own?',
      `own/a.ts exports Nameless without a typeName of its own: write "static readonly typeName: string = '...'"`,
    ]);
  });

  it('take each class once, and refuse a NIC model of a name that is taken', async () => {
    const { base, open } = await opened(['a', 'b']);
    expect(open.registry.tests).to.have.length(base.tests.length + 1);
    expect(open.registry.factory.conflict('test_own')).to.equal('');
    expect(open.problems).to.deep.equal([
      '+TEST_PATH=own: own/b.ts: there is a NIC model hangu already; rename this one',
    ]);
  });

  it('refuse an entry of a NIC that lacks something, and say what', async () => {
    expect((await opened(['c'])).open.problems).to.deep.equal([
      '+TEST_PATH=own: own/c.ts: the NIC model old has no provider, limits, profile, layout: ' +
        'see docs/connecting-a-dut.md; of a NIC that works as a shipped one write ...<its kind> in the entry',
    ]);
  });

  it('are that of the project for runs that name no folder, and for one that cannot be loaded', async () => {
    const { base, registries } = await opened(['a', 'none']);
    expect((await registries.open(undefined, '/w/own')).registry).to.equal(base);
    const { registry, problems } = await registries.open('own', '/w');
    expect(registry).to.equal(base);
    expect(problems[0]).to.match(/^\+TEST_PATH=own: own\/none\.ts cannot be loaded: /);
    expect(registries.of('', '/w/own').problems).to.deep.equal([]);
    expect(registries.of('../w/own', '/w').problems).to.deep.equal(problems);
  });
});
