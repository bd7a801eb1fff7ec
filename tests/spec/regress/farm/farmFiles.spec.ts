import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { ModelReader, type PlayedLine, ResultReader, ResultWriter } from '../../../../regress/farm/chunkResults.ts';
import {
  FarmFileError,
  readChunk,
  readFarmSettings,
  readRefusal,
  writeChunk,
  writeFarmSettings,
  writeRefusal,
} from '../../../../regress/farm/farmFiles.ts';
import { type ChunkNumber, FarmFolder } from '../../../../regress/farm/farmFolder.ts';
import { holderOf, Lease } from '../../../../regress/farm/lease.ts';
import { OpenChunk } from '../../../../regress/farm/openChunk.ts';
import { isSessionPath } from '../../../../regress/farm/playChunk.ts';
import type { ScheduledJob } from '../../../../regress/farm/scheduler.ts';
import { farmSettings } from '../../support/farm/launchers.ts';
import { aJob, aResult } from '../../support/jobs.ts';

const ONE = 1 as ChunkNumber;

describe('files of a farm', () => {
  let out: string;
  let folder: FarmFolder;

  beforeEach(() => {
    out = mkdtempSync(join(tmpdir(), 'farm-'));
    folder = FarmFolder.begin(out);
  });

  afterEach(() => rmSync(out, { recursive: true, force: true }));

  const reader = (): ResultReader => new ResultReader(folder, ONE, new ModelReader());
  const all = (from: ResultReader): PlayedLine[] => [...from.fresh()];

  it('come back as they were written', () => {
    const settings = farmSettings({ testFolders: { '/a/b': 'f00' } });
    writeFarmSettings(folder, settings);
    expect(readFarmSettings(folder)).to.deep.equal(settings);
    const chunk = { number: ONE, isFirst: true, jobs: [aJob(), aJob({ id: 'f/1-s2' })] };
    writeChunk(folder, chunk);
    expect(readChunk(folder, ONE)).to.deep.equal(chunk);
    expect(folder.chunkNumbers()).to.deep.equal([1]);
    writeRefusal(folder, ONE, 'other sources');
    expect(readRefusal(folder, ONE)?.why).to.equal('other sources');
  });

  it('of a new session lie beside those of earlier ones', () => {
    expect(FarmFolder.begin(out).session).to.equal(2);
    expect(FarmFolder.sessions(out).map(({ session }) => session)).to.deep.equal([1, 2]);
    expect(folder.out).to.equal(out);
  });

  it('give results as they are appended, whole lines alone', () => {
    const writer = new ResultWriter(folder, ONE);
    const from = reader();
    expect(all(from)).to.deep.equal([]);
    writer.result(aResult({ id: 'a' }));
    expect(all(from).map(({ result }) => result)).to.deep.equal([aResult({ id: 'a' })]);
    const line = JSON.stringify({ kind: 'result', result: aResult({ id: 'b' }) });
    appendFileSync(folder.results(ONE), line.slice(0, 20));
    expect(all(from)).to.deep.equal([]);
    appendFileSync(folder.results(ONE), `${line.slice(20)}\n`);
    expect(all(from).map(({ result: { id } }) => id)).to.deep.equal(['b']);
    expect(from.ended).to.equal(false);
    writer.end();
    expect(all(from)).to.deep.equal([]);
    expect(from.ended).to.equal(true);
  });

  it('let one process alone have a chunk, and show that it lives', () => {
    const lease = Lease.take(folder, ONE);
    expect(Lease.take(folder, ONE)).to.equal(undefined);
    expect(holderOf(folder, ONE)).to.include({ pid: process.pid, beat: 0 });
    lease?.beat([{ id: 'a', wallMs: 3 }]);
    expect(holderOf(folder, ONE)).to.deep.include({ beat: 1, playing: [{ id: 'a', wallMs: 3 }] });
  });

  it('are refused with path, field and value where they are of another form', () => {
    writeFarmSettings(folder, { ...farmSettings(), workers: 0 });
    expect(() => readFarmSettings(folder)).to.throw(FarmFileError, /farm\.json: workers: .*\(here 0\)/);
    writeFileSync(folder.chunk(ONE), '{"isFirst":true,"jobs":[{"id":"../../etc"}]}');
    expect(() => readChunk(folder, ONE)).to.throw(FarmFileError, /chunks\/1\.json: jobs\[0\]\.id/);
    writeFileSync(folder.chunk(ONE), '{"isFirst":true,"__proto__":{"x":1},"jobs":[]}');
    expect(() => readChunk(folder, ONE)).to.throw(FarmFileError, /__proto__/);
    expect(() => readChunk(folder, 2 as ChunkNumber)).to.throw(FarmFileError, /chunks\/2\.json: no such file/);
    writeFileSync(folder.refusal(ONE), 'no JSON');
    expect(readRefusal(folder, ONE)?.why).to.match(/refused\/1: it is no JSON/);
  });

  it('are never waited for: pipes, folders and devices under their names are refused', () => {
    execFileSync('mkfifo', [folder.results(ONE), folder.chunk(ONE)]);
    symlinkSync('/dev/zero', folder.settings);
    mkdirSync(folder.lease(ONE));
    expect(() => readChunk(folder, ONE)).to.throw(FarmFileError, /pipe/);
    expect(() => readFarmSettings(folder)).to.throw(FarmFileError, /device/);
    expect(holderOf(folder, ONE)).to.equal(undefined);
    // A pipe says of itself that it is empty.
    expect(all(reader())).to.deep.equal([]);
  });

  it('cannot make anybody read anything but data, whatever they hold', () => {
    const good = JSON.stringify({ kind: 'result', result: aResult({ id: 'a' }) });
    const text = fc.oneof(
      fc.json(),
      fc.string(),
      fc.tuple(fc.nat(good.length), fc.string()).map(([at, more]) => good.slice(0, at) + more + good.slice(at)),
      fc.jsonValue().map((result) => JSON.stringify({ kind: 'result', result })),
    );
    fc.assert(
      fc.property(text, (line) => {
        writeFileSync(folder.results(ONE), `${good}\n${line}\n`);
        writeFileSync(folder.lease(ONE), line);
        const found: PlayedLine[] = [];
        try {
          for (const played of reader().fresh()) found.push(played);
        } catch (error) {
          expect(error).to.be.instanceOf(FarmFileError);
        }
        expect(found[0]?.result.id).to.equal('a');
        holderOf(folder, ONE);
      }),
      { numRuns: 200 },
    );
  });

  it('with results of runs that a chunk does not have, or with a wrong line, lose the chunk and nothing else', () => {
    const chunk = { number: ONE, isFirst: true, jobs: [aJob({ id: 'a' }), aJob({ id: 'b' })] };
    const open = new OpenChunk(folder, chunk, '1' as ScheduledJob, new ModelReader(), 1);
    const lines = [aResult({ id: 'other' }), aResult({ id: 'a' })].map((result) =>
      JSON.stringify({ kind: 'result', result }),
    );
    writeFileSync(folder.results(ONE), `${lines.join('\n')}\n{"kind":"result"}\n${lines[1]}\n`);
    const jobs = [...open.fresh()].map(({ result }) => open.ended(result.id)?.id);
    expect(jobs).to.deep.equal([undefined, 'a']);
    const patience = { lostMs: 1000, settleMs: 1000 };
    expect(open.lost(0, patience)?.why).to.match(/results\/1\.jsonl:3: /);
    expect([...open.left.keys()]).to.deep.equal(['b']);
  });

  it('hold coverage whose groups and bins are what they say', () => {
    const writer = new ResultWriter(folder, ONE);
    const group = { name: 'cg', weight: 1, goal: 100, comment: '', hash: '0'.repeat(32), items: [] };
    const run = { id: 'r', name: 'a', test: 't', seed: 1, plusargs: [], nic: 'n', passed: true, events: 1, cpuMs: 1 };
    writer.coverage({ groups: [group], run: { ...run, replay: '', hits: { [`cg ${group.hash}`]: [0, 1] } } });
    writer.result(aResult({ id: 'a' }));
    expect(() => all(reader())).to.throw(FarmFileError, /is not the covergroup cg/);
    expect(readFileSync(folder.results(ONE), 'utf8')).to.contain('"coverage"');
  });

  it('are looked for below the folder of a regression alone', () => {
    expect(isSessionPath('/net/out/nightly/farm/12')).to.equal(true);
    for (const path of [
      'out/farm/1',
      '/net/out/../farm/1',
      '/farm/1',
      '/net/farm/x',
      '/net/out/farm/1/',
      '/net/farm/0',
    ])
      expect(isSessionPath(path), path).to.equal(false);
  });
});
