import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { misplacedFiles } from '../../../bin/run/misplacedFiles.ts';
import { checkSpec } from '../../../bin/run/checkSpec.ts';
import { loadRegistry } from '../../../bin/registry.ts';
import { projectRoot } from '../../../bin/versions.ts';

describe('files in places where nobody looks', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'rnic-verify-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  function found(...files: string[]): string[] {
    for (const file of files) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), '');
    }
    return misplacedFiles(pathToFileURL(`${folder}/`));
  }

  it('are named with the reason and the place where they belong', () => {
    expect(found('sequences/library/mine/plain.js', 'env/library/a/b/own.mjs', 'tests/my/testA.ts')).to.deep.equal([
      'tests/my/testA.ts is skipped, because it is in a subfolder; it belongs into tests/testA.ts',
      'sequences/library/mine/plain.js is skipped, because it ends in .js; it belongs into sequences/library/mine/plain.ts',
      'env/library/a/b/own.mjs is skipped, because it ends in .mjs; it belongs into env/library/a/b/own.ts',
    ]);
  });

  it('are neither those that are found, nor specs, nor what is no source', () => {
    const mine = [
      'sequences/library/burst.ts',
      'sequences/library/mine/burst.ts',
      'tests/testA.ts',
      'env/library/.gitkeep',
      'sequences/library/notes.txt',
    ];
    const own = [
      'tests/spec/tests/testA.spec.ts',
      'tests/spec/testB.ts',
      'tests/spec/support/testC.js',
      'tests/my/helper.ts',
    ];
    expect(found(...mine, ...own, 'sequences/library/types.d.ts')).to.deep.equal([]);
    expect(misplacedFiles(projectRoot())).to.deep.equal([]);
  });

  it('are named when a test, a sequence or the class of an override is not found, and else not', async () => {
    found('sequences/library/mine/burst.js', 'tests/my/testA.ts', 'env/library/x/own.mjs');
    const registry = await loadRegistry();
    const root = pathToFileURL(`${folder}/`);
    const problems = (testName: string, ...plusargs: string[]): string =>
      checkSpec({ testName, seed: 1, plusargs }, registry, root).join('\n');
    expect(problems('test_sequence', '+UVM_TEST_SEQ=burst')).to.contain('sequences/library/mine/burst.js is skipped');
    expect(problems('test_a')).to.contain('tests/my/testA.ts is skipped').and.not.to.contain('burst');
    const override = '+uvm_set_type_override=Scoreboard,own_scoreboard';
    expect(problems('test_smoke', override)).to.equal(
      `${override}: there is no type 'own_scoreboard'; env/library/x/own.mjs is skipped, because it ends in .mjs; it belongs into env/library/x/own.ts`,
    );
    expect(problems('test_smoke', '+uvm_set_type_override=Scoreboard,Scoreboard')).to.equal('');
  });
});
