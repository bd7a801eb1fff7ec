import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { LogFile } from '../../../../bin/cli/syncOutput.ts';

describe('LogFile', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'log-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  for (const lines of [0, 3, 20_000]) {
    it(`keeps ${lines} lines complete and in order, or leaves nothing`, () => {
      for (const keep of [true, false]) {
        const log = new LogFile(join(folder, `a/${keep}.log`));
        for (let i = 0; i < lines; i++) log.line(`line ${i}`);
        log.close(keep);
        expect(existsSync(log.path)).to.equal(keep);
      }
      const expected = Array.from({ length: lines }, (_, i) => `line ${i}\n`).join('');
      expect(readFileSync(join(folder, 'a/true.log'), 'utf8') === expected).to.equal(true);
    });
  }
});
