import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { JournalWriter, readJournal } from '../../../regress/journal.ts';
import { aJob, aResult } from '../../support/jobs.ts';

describe('the journal', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'journal-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('has every result on disk as soon as it is known', () => {
    const path = join(folder, 'new/runs.jsonl');
    const plan = { source: 'l.yaml', seed: 1, jobs: [aJob()] };
    const journal = new JournalWriter(path, plan);
    journal.result(aResult({ message: 'a\nb' }));
    expect(readJournal(path)).to.deep.equal({ plan, results: [aResult({ message: 'a\nb' })], torn: false });
    journal.close();
  });

  it('can be read whatever byte it was cut off at', () => {
    const path = join(folder, 'runs.jsonl');
    const journal = new JournalWriter(path, { source: 'l.yaml', seed: 1, jobs: [] });
    for (let i = 0; i < 3; i++) journal.result(aResult({ id: `f/${i}` }));
    journal.close();
    const bytes = readFileSync(path);
    fc.assert(
      fc.property(fc.nat({ max: bytes.length }), (length) => {
        writeFileSync(path, bytes.subarray(0, length));
        const { results, torn } = readJournal(path);
        expect(results.map((r) => r.id)).to.deep.equal(['f/0', 'f/1', 'f/2'].slice(0, results.length));
        expect(torn).to.equal(length > 0 && bytes[length - 1] !== 10);
      }),
    );
  });

  it('refuses damage in the middle', () => {
    const path = join(folder, 'runs.jsonl');
    new JournalWriter(path, { source: 'l.yaml', seed: 1, jobs: [] }).close();
    appendFileSync(path, '{"kind":\n{}\n');
    expect(() => readJournal(path)).to.throw(SyntaxError);
  });
});
