import { execFileSync } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { JournalWriter } from '../../../regress/journal.ts';
import { journalLines } from '../support/journalLines.ts';
import { aJob, aPlan, aResult } from '../support/jobs.ts';

describe('the journal', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'journal-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('has the plan and every result on disk, a whole line each, as soon as they are known', () => {
    const path = join(folder, 'new/runs.jsonl');
    const plan = aPlan({ jobs: [aJob()] });
    const journal = new JournalWriter(path, plan);
    expect(journalLines(path)).to.deep.equal({ plans: [plan], results: [], ends: [] });
    const results = [aResult({ message: 'a\nb' }), aResult({ id: 'f/1' })];
    for (const [i, result] of results.entries()) {
      journal.result(result);
      expect(journalLines(path).results).to.deep.equal(results.slice(0, i + 1));
    }
    journal.close();
  });

  it('has no torn line when the disk takes only a part of one', function () {
    const path = join(folder, 'runs.jsonl');
    const journal = new JournalWriter(path, aPlan());
    const limit = (bytes: number | 'unlimited'): void =>
      void execFileSync('prlimit', ['--pid', String(process.pid), `--fsize=${bytes}:`], { stdio: 'ignore' });
    try {
      limit(statSync(path).size + 10);
    } catch {
      this.skip();
    }
    try {
      expect(() => journal.result(aResult())).to.throw(/EFBIG/);
    } finally {
      limit('unlimited');
    }
    expect(journalLines(path).results).to.deep.equal([]);
    journal.result(aResult());
    expect(journalLines(path).results).to.have.length(1);
    journal.close();
  });

  it('writes nothing into a file that somebody has removed or moved', () => {
    const path = join(folder, 'runs.jsonl');
    for (const take of [() => rmSync(path), () => renameSync(path, `${path}.old`)]) {
      const journal = new JournalWriter(path, aPlan());
      take();
      expect(() => journal.result(aResult())).to.throw(/somebody has removed or moved it/);
      journal.close();
    }
  });

  it('says in a last line that nothing follows', () => {
    const path = join(folder, 'runs.jsonl');
    const journal = new JournalWriter(path, aPlan());
    const end = { ended: '2026-01-02T03:04:05.000Z', wallMs: 12, notRun: 0, exitCode: 0 };
    journal.end(end);
    journal.close();
    expect(journalLines(path).ends).to.deep.equal([end]);
  });
});
