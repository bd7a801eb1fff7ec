import { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { JournalWriter } from '../../../regress/journal.ts';
import { JournalError, readJournal } from '../../../regress/readJournal.ts';
import { aJob, aPlan, aResult } from '../support/jobs.ts';

describe('a journal that is read back', () => {
  let folder = '';
  let path = '';
  const jobs = ['a', 'b', 'c'].map((id) => aJob({ id }));
  const end = { ended: '2026-01-02T03:04:05.000Z', wallMs: 12, notRun: 0, exitCode: 0 };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'journal-'));
    path = join(folder, 'runs.jsonl');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function write(): void {
    const journal = new JournalWriter(path, aPlan({ jobs }));
    journal.result(aResult({ id: 'a' }));
    journal.result(aResult({ id: 'b', message: 'ä\nü' }));
    journal.result(aResult({ id: 'a', status: 'error' }));
    journal.close();
  }

  it('has the plan, the last result of each run, and whether it has ended', () => {
    write();
    const read = readJournal(folder);
    expect(read.plan).to.deep.equal(aPlan({ jobs }));
    expect([...read.results].map(([id, { status }]) => [id, status])).to.deep.equal([
      ['a', 'error'],
      ['b', 'passed'],
    ]);
    expect(read.ended).to.equal(false);
    const journal = JournalWriter.continued(path, read.wholeBytes);
    journal.result(aResult({ id: 'c' }));
    journal.end(end);
    journal.close();
    const whole = readJournal(path);
    expect([whole.ended, [...whole.results.keys()]]).to.deep.equal([true, ['a', 'b', 'c']]);
  });

  it('loses nothing but the line that was being written, wherever it was cut off', () => {
    write();
    const bytes = readFileSync(path);
    const planned = bytes.indexOf(0x0a) + 1;
    fc.assert(
      fc.property(fc.integer({ min: planned, max: bytes.length }), (cut) => {
        writeFileSync(path, bytes.subarray(0, cut));
        const read = readJournal(folder);
        const lines = bytes.subarray(planned, cut).filter((byte) => byte === 0x0a).length;
        expect(read.results.size).to.equal([0, 1, 2, 2][lines]);
        JournalWriter.continued(path, read.wholeBytes).close();
        expect(readFileSync(path, 'utf8')).to.match(/\n$/);
        expect(readJournal(folder).results).to.deep.equal(read.results);
      }),
    );
  });

  it('goes on after an end', () => {
    write();
    appendFileSync(path, `${JSON.stringify({ kind: 'end', end })}\n`);
    const journal = JournalWriter.continued(path, readJournal(folder).wholeBytes);
    journal.result(aResult({ id: 'c' }));
    journal.close();
    expect(readJournal(folder).ended).to.equal(false);
  });

  it('passes over lines and fields that it does not know', () => {
    write();
    appendFileSync(path, '{"kind":"news","x":1}\n');
    expect(readJournal(folder).results.size).to.equal(2);
  });

  it('says what is wrong with a file that is none', () => {
    const wrong = (text?: string): string => {
      rmSync(path, { force: true });
      if (text !== undefined) writeFileSync(path, text);
      try {
        readJournal(folder);
      } catch (error) {
        expect(error).to.be.instanceOf(JournalError);
        return (error as Error).message;
      }
      return 'read';
    };
    expect(wrong()).to.match(/no regression can be read there, .*runs\.jsonl: no such file/);
    expect(wrong('')).to.match(/holds no plan/);
    expect(wrong('x\n')).to.match(/runs\.jsonl:1: is no line of a journal/);
    expect(wrong('{"kind":"plan","plan":{"source":"x"}}\n')).to.match(
      /runs\.jsonl:1: is no line of a journal: seed: expected number, received undefined/,
    );
    rmSync(path);
    write();
    const whole = readFileSync(path, 'utf8');
    truncateSync(path);
    expect(wrong(whole.replace('"kind":"result"', '"kind":"result" broken'))).to.match(/runs\.jsonl:2: is no line/);
  });
});
