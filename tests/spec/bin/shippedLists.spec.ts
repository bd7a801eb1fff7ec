import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { expandList } from '../../../regress/lists/expandList.ts';
import { listPath, nearestList } from '../../../bin/many/shippedLists.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

describe('shipped lists', () => {
  it('are found by their bare names from anywhere', () => {
    expect(listPath('smoke', ROOT)).to.equal('lists/smoke.yaml');
    expect(resolve(tmpdir(), listPath('multiqp', tmpdir()))).to.equal(join(ROOT, 'lists/multiqp.yaml'));
  });

  it('are meant where only a folder has the same name', () => {
    expect(listPath('sequences', ROOT)).to.equal('lists/sequences.yaml');
  });

  it('play every sequence of the library', () => {
    const paths = readdirSync(join(ROOT, 'sequences/library'), { recursive: true, encoding: 'utf8' });
    const files = paths.filter((path) => path.endsWith('.ts')).map((path) => basename(path, '.ts'));
    const sequences = files.map((file) => file.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
    const { jobs } = expandList(join(ROOT, 'lists/sequences.yaml'), { baseSeed: 1, cwd: ROOT, sequences });
    const played = jobs.flatMap(({ argv }) => argv.flatMap((word) => /^\+UVM_TEST_SEQ=(.*)/.exec(word)?.[1] ?? []));
    expect([...new Set(played)].sort()).to.deep.equal(sequences.sort());
  });

  it('yield to a file of the same name, and leave paths and unknown names alone', () => {
    const folder = mkdtempSync(join(tmpdir(), 'lists-'));
    writeFileSync(join(folder, 'smoke'), './hca_test +UVM_TESTNAME=test_smoke\n');
    expect(listPath('smoke', folder)).to.equal('smoke');
    rmSync(folder, { recursive: true });
    for (const name of ['lists/smoke.yaml', './smoke', 'smoke.yaml', 'weekly', ''])
      expect(listPath(name, ROOT)).to.equal(name);
  });

  it('are proposed for a misspelt name', () => {
    expect(nearestList('familys')).to.equal('families');
    expect(nearestList('completely_different')).to.equal(undefined);
  });
});
