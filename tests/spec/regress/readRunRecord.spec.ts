import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { readRunRecord } from '../../../regress/readRunRecord.ts';
import { RunRecordError } from '../../../regress/runRecordError.ts';

describe('readRunRecord', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'record-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function refusal(content: unknown): string {
    const file = join(folder, 'x.json');
    writeFileSync(file, JSON.stringify(content));
    try {
      readRunRecord(file);
    } catch (error) {
      if (error instanceof RunRecordError) return error.message.replace(file, 'x.json');
      throw error;
    }
    return '';
  }

  it('takes the folder of a run for the record in it', () => {
    expect(() => readRunRecord(folder)).to.throw(
      RunRecordError,
      `${join(folder, 'run.json')}: cannot be read; no such file or directory. Give`,
    );
  });

  it('says in one sentence that another file is no record', () => {
    for (const other of [{ name: 'rnic-verify', version: '0.1.0' }, [1], 'text', null])
      expect(refusal(other)).to.equal(
        'x.json: not a run record: it has no "format" and "transcript". Give the run.json of an earlier run',
      );
  });

  it('says of a record of another format that another version has written it', () => {
    expect(refusal({ format: 2, transcript: {} })).to.match(/another version of the harness, format 2; this one reads/);
  });

  it('names the fields of a record that are missing or have been spoilt', () => {
    const message = refusal({ format: 1, transcript: { hash: 'a', events: 1 }, id: 3, verdict: 'good' });
    expect(message).to.match(/not a run record any more; /);
    expect(message).to.match(/id has a value that no record has there; test is missing; .*verdict has a value/);
  });
});
