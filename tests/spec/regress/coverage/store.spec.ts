import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { databaseOf } from '../../../../regress/coverage/database.ts';
import { readStore } from '../../../../regress/coverage/readStore.ts';
import { StoreWriter, storeText, writeStore } from '../../../../regress/coverage/writeStore.ts';
import { anyDatabase, FAULTS, hitting, runNamed, TRAFFIC } from './databases.ts';

describe('A coverage store', () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'coverage-'));
    path = join(folder, 'coverage.jsonl');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is read back as it was written', () => {
    fc.assert(
      fc.property(anyDatabase(), (database) => {
        fc.pre(database.groups.length > 0);
        writeStore(path, database);
        expect(readStore(folder)).to.deep.equal(database);
      }),
      { numRuns: 30 },
    );
  });

  it('begins with the model and has a line for each run with bins in ascending order', () => {
    const run = runNamed('a', { hits: { ...hitting(TRAFFIC, { 1: 2 }), ...hitting(FAULTS, { 0: 9 }) } });
    const [model, line, end] = storeText(databaseOf([TRAFFIC, FAULTS], [run])).split('\n');
    expect(JSON.parse(model as string)).to.include({ kind: 'model', format: 1 });
    // faults_cg has bins 0 and 1; traffic_cg follows.
    expect(JSON.parse(line as string)).to.deep.include({ kind: 'run', id: 'a', hits: [0, 9, 3, 2] });
    expect(end).to.equal('');
  });

  it('takes runs as they end, also with groups that no run before has had', () => {
    const writer = new StoreWriter(path);
    const [a, b] = [
      runNamed('a', { hits: hitting(FAULTS, { 1: 3 }) }),
      runNamed('b', { hits: { ...hitting(FAULTS, { 0: 1 }), ...hitting(TRAFFIC, { 5: 1 }) } }),
    ];
    writer.add([FAULTS], a);
    writer.add([TRAFFIC, FAULTS], b);
    writer.close();
    expect(readStore(path)).to.deep.equal(databaseOf([TRAFFIC, FAULTS], [a, b]));
    expect(readFileSync(path, 'utf8').trimEnd().split('\n')).to.have.length(4);
  });

  it('is read without its last line where a regression was cut off in it', () => {
    writeFileSync(path, `${storeText(databaseOf([FAULTS], [runNamed('a')]))}{"kind":"run","id":"b`);
    expect(readStore(path).runs.map(({ id }) => id)).to.deep.equal(['a']);
  });

  const text = storeText(databaseOf([FAULTS], [runNamed('a', { hits: hitting(FAULTS, { 0: 1, 1: 1 }) })]));
  const wrong: readonly (readonly [string, string, string])[] = [
    ['no JSON', `nonsense\n${text}`, ':1: is no line of JSON'],
    ['another format', text.replace('"format":1', '"format":9'), ':1: is of format 9; this version reads format 1'],
    [
      'bins that were edited',
      text.replace('"drop"', '"dropped"'),
      ':1: group faults_cg has other bins than its hash says',
    ],
    ['bins out of order', text.replace('[0,1,1,1]', '[1,1,0,1]'), ':2: bin 0 stands behind bin 1'],
    [
      'bins that are not there',
      text.replace('[0,1,1,1]', '[0,1,2,1]'),
      ':2: bin 2 is none of the 2 that the lines above',
    ],
    ['half a pair', text.replace('[0,1,1,1]', '[0,1,1]'), ':2: hits are not pairs'],
    ['something missing', text.replace('"seed":7,', ''), ':2: is no line of a coverage store: seed'],
    ['no model', '', ': holds no coverage model'],
  ];
  for (const [what, lines, message] of wrong) {
    it(`with ${what} is refused with its place`, () => {
      writeFileSync(path, lines === '' ? '' : `${lines}\n`);
      expect(() => readStore(path)).to.throw(`${path}${message}`);
    });
  }

  it('that is missing is said to come from a regression with coverage', () => {
    expect(() => readStore(folder)).to.throw('give the folder of a regression that was run with --cov');
  });

  it('that each folder inside has instead is said to be there', () => {
    const runs = join(folder, 'runs');
    mkdirSync(join(runs, 'test-s1'), { recursive: true });
    writeFileSync(join(runs, 'test-s1', 'coverage.jsonl'), text);
    expect(() => readStore(runs)).to.throw(`give ${join(runs, '*')}`);
  });
});
