import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import ts from 'typescript';
import { z } from 'zod';
import { runRecordSchema } from '../../../regress/runRecord.ts';
import { play } from '../tests/harness.ts';

const FOLDER = new URL('../../../', import.meta.url);

/** Names in the first column of the tables of a section of the page. */
function rows(section: string): string[] {
  const lines = section.split('\n').filter((line) => /^\| `/.test(line));
  return lines.flatMap((line) =>
    [...(line.split(' | ')[0] as string).matchAll(/`([^`]+)`/g)].map(([, name]) => name as string),
  );
}

/** Fields of an object of the schema, those of objects in it as `name.field`. `endedBy` has those of `signature`. */
function fieldsOf(shape: Readonly<Record<string, unknown>>, prefix = ''): string[] {
  return Object.entries(shape).flatMap(([name, type]) => {
    const inner = unwrapped(type);
    if (!(inner instanceof z.ZodObject)) return [prefix + name];
    const own = fieldsOf(inner.shape, `${prefix}${name}.`);
    if (name === 'endedBy') return [name];
    return inner === type || type instanceof z.ZodObject ? own : [prefix + name, ...own];
  });
}

/** Without what says that it may be null or left out. */
function unwrapped(type: unknown): unknown {
  if (type instanceof z.ZodNullable || type instanceof z.ZodDefault || type instanceof z.ZodOptional)
    return unwrapped(type.unwrap());
  return type;
}

/** Names of the members of an interface. */
function membersOf(file: string, name: string): string[] {
  const text = readFileSync(new URL(file, FOLDER), 'utf8');
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  const found = source.statements.find(
    (s): s is ts.InterfaceDeclaration => ts.isInterfaceDeclaration(s) && s.name.text === name,
  );
  return (found?.members ?? []).map((member) => (member.name as ts.Identifier).text);
}

describe('docs/records.md', () => {
  const page = readFileSync(new URL('docs/records.md', FOLDER), 'utf8');
  const [record = '', journal = '', report = ''] = page.split('\n## ').slice(1);
  const [fields = '', counters = ''] = record.split('| counter |');
  const [line = '', job = '', result = ''] = journal.split(/^\| field of .*$/m).slice(1);
  const [whole = '', family = '', failure = ''] = report.split(/^\| field of .*$/m).slice(1);

  it('has a row for every field of run.json, and none for another', () => {
    const expected = fieldsOf(runRecordSchema.shape);
    expect(expected).to.include.members(['versions.sources', 'signature', 'signature.id', 'files', 'scenario.kind']);
    expect(rows(fields)).to.deep.equal(expected);
  });

  it('has a row for every counter of a run', async () => {
    const names = new Set<string>();
    for (const [test, line] of [
      ['test_direct_param', '+RC_QP_NUM=1 +SEND_WQE_NUM=1 +SEQ_COUNT=3'],
      ['test_direct_param', '+RC_QP_NUM=1 +SEND_WQE_NUM=1 +ECN_PCT=1'],
      ['test_sequence', '+UVM_TEST_SEQ=wrong_keys +RC_QP_NUM=1'],
    ] as const)
      for (const name of Object.keys((await play(test, line)).counts)) names.add(name);
    expect(rows(counters)).to.have.members([...names]);
  });

  it('has a row for every field of the lines of runs.jsonl', () => {
    const plan = membersOf('regress/journal.ts', 'JournalPlan').map((name) => `plan.${name}`);
    const end = membersOf('regress/journal.ts', 'JournalEnd').map((name) => `end.${name}`);
    expect(rows(line)).to.deep.equal(['kind', ...plan, 'result', ...end]);
    expect(rows(job)).to.deep.equal(membersOf('regress/job.ts', 'Job'));
    expect(rows(result)).to.deep.equal(membersOf('regress/job.ts', 'JobResult'));
  });

  it('has a row for every field of report.json', () => {
    const summary = membersOf('regress/report/summary.ts', 'RegressionSummary').map((name) => `summary.${name}`);
    const expected = membersOf('regress/regression.ts', 'RegressionReport');
    expect(rows(whole)).to.deep.equal(expected.flatMap((name) => (name === 'summary' ? summary : [name])));
    expect(rows(family)).to.deep.equal(membersOf('regress/report/summary.ts', 'FamilySummary'));
    expect(rows(failure)).to.deep.equal(membersOf('regress/report/failureGroups.ts', 'FailureGroup'));
  });
});
