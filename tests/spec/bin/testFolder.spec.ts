import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { compileFolder } from '../../../bin/testFolder.ts';

describe('a folder of tests', () => {
  it('that is not there is refused with the name of one that is meant, seen from where the run is started', async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'own-'));
    mkdirSync(join(cwd, 'verification'));
    const found = ['verificatio', './sub/none'].map((path) => compileFolder(path, cwd, expect.fail));
    expect(await Promise.all(found)).to.deep.equal([
      '+TEST_PATH=verificatio: there is no such folder; did you mean verification?',
      '+TEST_PATH=./sub/none: there is no such folder',
    ]);
    rmSync(cwd, { recursive: true });
  });
});
