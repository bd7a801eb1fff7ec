/** `hca_regress known`: writes known issues from failed runs, and shows those that are there. */

import { readFlags } from '../cli/readFlags.ts';
import { userInfo } from 'node:os';
import { existsSync } from 'node:fs';
import { fileProblem } from '../../files/fileError.ts';
import type { KnownIssueData } from '../../regress/known/knownIssueSchema.ts';
import { knownIssueSchema } from '../../regress/known/knownIssueSchema.ts';
import { KNOWN_ISSUES_FILE, readKnownIssues } from '../../regress/known/knownIssuesFile.ts';
import type { KnownIssue } from '../../regress/known/knownIssue.ts';
import { readRunRecord } from '../../regress/readRunRecord.ts';
import type { RunRecord } from '../../regress/runRecord.ts';
import { RunRecordError } from '../../regress/runRecordError.ts';
import { counted } from '../../uvm/report/counted.ts';
import { regressProgram } from '../calledAs.ts';
import type { FlagTable } from '../cli/flagTable.ts';
import { commandUsage } from '../cli/commands/regressCommands.ts';
import { helpText } from '../cli/helpText.ts';
import { problemReport } from '../cli/problemReport.ts';
import { commandLineTokens } from '../cli/token.ts';
import type { Outputs } from '../many/playRegression.ts';
import { EXIT } from '../run/runSpec.ts';
import { addKnownIssues } from './addKnownIssues.ts';

const WHAT = 'What an entry says:';

const KNOWN_FLAGS = {
  link: { group: WHAT, type: 'string', value: 'url', describe: 'URL of the issue (add needs it)' },
  owner: { group: WHAT, type: 'string', value: 'name', describe: 'Owner of the issue (default: the user)' },
  until: {
    group: WHAT,
    type: 'string',
    value: 'date',
    describe: 'Expiry day or time in UTC: failures count again from then on (default: in 30 days)',
  },
  file: {
    group: 'How:',
    type: 'string',
    value: 'file',
    describe: `File of known issues (default ${KNOWN_ISSUES_FILE})`,
  },
  help: { group: 'How:', type: 'boolean', alias: 'h', describe: 'This text' },
} as const satisfies FlagTable;

const EPILOGUE = [
  'add writes an entry for each finding of a failed run, given by its folder or its run.json, that no entry is about yet: id, text, and',
  'kind of NIC. Narrow it with test: and plusargs: where the issue is one of them alone. list shows what there is, and what has expired.',
].join('\n');

const DEFAULT_DAYS = 30;
const MS_A_DAY = 86_400_000;

/** @param argv words behind `known` @returns the exit code */
export async function known(argv: readonly string[], { out, err }: Outputs, now = new Date()): Promise<number> {
  const checked = readFlags(commandLineTokens(argv), KNOWN_FLAGS);
  const { flags } = checked;
  if (flags['help'] === true) {
    out.line(await helpText(commandUsage('known'), KNOWN_FLAGS, EPILOGUE));
    return EXIT.passed;
  }
  const text = (name: keyof typeof KNOWN_FLAGS): string | undefined => flags[name] as string | undefined;
  const [action, ...runs] = checked.positionals.map((word) => word.text);
  const file = text('file') ?? KNOWN_ISSUES_FILE;
  const read = existsSync(file) ? readKnownIssues(file) : { issues: [], problems: [] };
  const problems = [...checked.problems, ...read.problems];
  if (action === 'list' && problems.length === 0) {
    for (const issue of read.issues) out.line(lineOf(issue, now));
    out.line(`${file}: ${counted(read.issues.length, 'known issue')}`);
    return EXIT.passed;
  }
  if (action !== 'add' && action !== 'list')
    problems.push('known: write known add <run>... --link <link>, or known list');
  if (action === 'add' && runs.length === 0)
    problems.push('known add: needs the folder of a failed run, or its run.json');
  const link = text('link');
  if (action === 'add' && link === undefined)
    problems.push('known add: needs --link <where the issue is looked after>');
  const records = runs.flatMap((run) => recordOf(run, problems) ?? []);
  const until = text('until') ?? new Date(now.getTime() + DEFAULT_DAYS * MS_A_DAY).toISOString().slice(0, 10);
  const about = { owner: text('owner') ?? userInfo().username, link: link ?? '', until };
  const entries = newEntries(records, read.issues, about);
  const wrong = entries.map((entry) => knownIssueSchema.safeParse(entry)).find(({ success }) => !success);
  if (link !== undefined && wrong?.error !== undefined)
    problems.push(`known add: ${wrong.error.issues[0]?.path.join('.')}: ${wrong.error.issues[0]?.message}`);
  if (problems.length > 0) {
    err.line(problemReport(regressProgram(), problems));
    return EXIT.usage;
  }
  const lost = entries.length === 0 ? undefined : fileProblem(file, () => addKnownIssues(file, entries));
  if (lost !== undefined) {
    err.line(`${regressProgram()}: ${lost}`);
    return EXIT.infrastructure;
  }
  for (const { id, text: what } of entries) out.line(`added [${id}] ${what}`);
  out.line(`${file}: ${counted(entries.length, 'known issue')} added`);
  return EXIT.passed;
}

function lineOf(issue: KnownIssue, now: Date): string {
  const { data, where } = issue;
  const { id, text = '', owner, link, until } = data;
  return `${issue.isExpired(now) ? 'EXPIRED ' : ''}[${id}] ${text}; ${owner}, ${link}, until ${until} (${where})`;
}

function recordOf(run: string, problems: string[]): RunRecord | undefined {
  try {
    const record = readRunRecord(run);
    if (record.findings.errors.length > 0) return record;
    problems.push(
      `${run}: has no findings: ${record.verdict === 'passed' ? 'it passed' : 'it was recorded before there were any'}`,
    );
  } catch (error) {
    if (!(error instanceof RunRecordError)) throw error;
    problems.push(error.message);
  }
  return undefined;
}

/** One for each finding that no entry is about, neither one that is there nor one before. */
function newEntries(
  records: readonly RunRecord[],
  issues: readonly KnownIssue[],
  about: Pick<KnownIssueData, 'owner' | 'link' | 'until'>,
): readonly KnownIssueData[] {
  const entries = new Map<string, KnownIssueData>();
  for (const { findings, parameters, plusargs, test } of records) {
    const dut = String(parameters['DUT'] ?? '');
    const run = { test, findings: { ...findings, dut, plusargs } };
    for (const { id, text } of findings.errors) {
      if (issues.some((issue) => issue.meets(run) && issue.isAbout({ id, text }))) continue;
      const kind = dut === '' ? {} : { dut };
      entries.set(`${dut} [${id}] ${text}`, { id, ...(text === '' ? {} : { text }), ...kind, ...about });
    }
  }
  return [...entries.values()];
}
