import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { parse } from 'yaml';
import { main } from '../../../../bin/hcaTest.ts';
import { ITEM_KINDS } from '../../../../bin/scaffold/itemKinds.ts';
import { itemName, named } from '../../../../bin/scaffold/itemName.ts';
import { CapturedOutput } from '../../support/capturedOutput.ts';

const HCA_TEST = fileURLToPath(new URL('../../../../hca_test', import.meta.url));
const TYPED = { encoding: 'utf8' } as const;

describe('hca_test new', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'new-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  async function make(...words: readonly string[]): Promise<{ code: number; out: string; err: string }> {
    const [out, err] = [new CapturedOutput(), new CapturedOutput()];
    const code = await main(['new', ...words], { out, err, env: {} });
    return { code, out: out.text, err: err.text };
  }

  const filesIn = (path: string): string[] =>
    readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1))
      .sort();

  it('says what it has made, and how that is played, when it is typed in a shell', () => {
    const into = join(folder, 'typed');
    const { status, stdout, stderr } = spawnSync(HCA_TEST, ['new', 'sequence', 'my_seq', '--into', into], TYPED);
    expect([status, stderr.replace(/^rnic-verify: building.*\n/, '')]).to.deep.equal([0, '']);
    expect(stdout).to.match(/made in .*typed: sequences\/mySeq\.ts, .*\nplay it: .*\+UVM_TEST_SEQ=my_seq/);
  });

  it('makes a folder with the item, its list, and what an editor and a pipeline need', async () => {
    const mine = join(folder, 'mine');
    const { code, out, err } = await make('sequence', 'slot_ring', '--into', mine);
    expect([code, err], out).to.deep.equal([0, '']);
    expect(filesIn(mine)).to.deep.equal([
      '.editorconfig',
      '.github/workflows/verify.yml',
      '.gitignore',
      '.gitlab-ci.yml',
      '.vscode/settings.json',
      'lists/slot_ring.yaml',
      'package.json',
      'sequences/slotRing.ts',
      'tsconfig.json',
    ]);
    const source = readFileSync(join(mine, 'sequences/slotRing.ts'), 'utf8');
    expect(source).to.match(/class SlotRing extends UserSequence/);
    expect(source).to.match(/typeName: string = 'slot_ring'/);
    expect(source).not.to.match(/template/i);
    expect(out).to.contain(`+TEST_PATH=${mine} +UVM_TESTNAME=test_sequence +UVM_TEST_SEQ=slot_ring`);
  });

  it('makes every kind into one folder, and leaves there what is there', async () => {
    writeFileSync(join(folder, 'tsconfig.json'), 'mine');
    for (const kind of Object.keys(ITEM_KINDS)) {
      const { code, out, err } = await make(kind, `my_${kind}`, '--into', folder);
      expect([code, err], out).to.deep.equal([0, '']);
      expect(out).to.match(/left as they were: .*tsconfig\.json/);
      expect(parse(readFileSync(join(folder, `lists/my_${kind}.yaml`), 'utf8'))).to.have.keys(
        'description',
        'defaults',
        'tests',
      );
    }
    expect(readFileSync(join(folder, 'tsconfig.json'), 'utf8')).to.equal('mine');
  });

  it('refuses what is no kind, no name, taken, there, or within the project, and writes nothing', async () => {
    const refused = async (...words: readonly string[]): Promise<string> => {
      const { code, err } = await make(...words);
      expect(code, words.join(' ')).to.equal(2);
      return err;
    };
    const into = ['--into', join(folder, 'x')];
    expect(await refused('sequnce', 'a', ...into)).to.match(/new sequnce: cannot be made; .*sequence/);
    expect(await refused()).to.match(/new: needs what to make/);
    expect(await refused('test', ...into)).to.match(/new test: needs a name/);
    expect(await refused('test', '../x', ...into)).to.match(/new test \.\.\/x: is no name/);
    expect(await refused('test', 'a', 'b', ...into)).to.match(/b: one name at a time/);
    expect(await refused('sequence', 'ping_pong', ...into)).to.match(/there is one of that name already/);
    expect(await refused('nic', 'hangu', ...into)).to.match(/there is one of that name already/);
    expect(await refused('test', 'own', '--into', 'verification')).to.match(/within the project/);
    expect(existsSync(join(folder, 'x'))).to.equal(false);
    await make('test', 'own', ...into);
    expect(await refused('test', 'own', ...into)).to.match(/own\.ts is there already/);
  });

  it('has names in the forms of files, classes and constants', () => {
    const name = itemName('slot_ring_2');
    expect(name).to.deep.equal({ plain: 'slot_ring_2', camel: 'slotRing2', pascal: 'SlotRing2' });
    if (name === undefined) throw new Error('no name');
    expect(named('template_name TEMPLATE_NAME templateName TemplateName', name)).to.equal(
      'slot_ring_2 SLOT_RING_2 slotRing2 SlotRing2',
    );
    expect(['A', '2a', 'a__b', 'a-b', 'constructor!', ''].map(itemName)).to.deep.equal(Array(6).fill(undefined));
  });
});
