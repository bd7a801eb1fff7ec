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

  it('says once that its file cannot be written and takes further lines without complaint', () => {
    const log = new LogFile('/dev/full');
    for (let i = 0; i < 20_000; i++) log.line(`line ${i}`);
    expect(log.problem).to.equal('log /dev/full: no space left on device');
    log.flush();
    log.close(true);
    expect(log.problem).to.equal('log /dev/full: no space left on device');
  });

  it('writes nothing more once it is closed, also when its file has gone', () => {
    const log = new LogFile(join(folder, 'a.log'));
    log.line('one');
    log.flush();
    rmSync(log.path);
    log.line('two');
    log.close(false);
    log.flush();
    expect([existsSync(log.path), log.problem]).to.deep.equal([false, undefined]);
  });
});
