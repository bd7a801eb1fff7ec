/** `hca_regress history`: what regressions came to over time, and `history import`, which reads their summaries. */

import { readFlags } from '../cli/readFlags.ts';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { whyUnread } from '../../files/dataError.ts';
import { readStoredJson } from '../../files/json.ts';
import { statOf } from '../../files/statOf.ts';
import { type Contradiction, History } from '../../regress/history/history.ts';
import { HistoryError } from '../../regress/history/historySchema.ts';
import { NO_SQLITE } from '../../regress/history/sqlite.ts';
import { type RegressionSummaryFile, SUMMARY_FILE, summarySchema } from '../../regress/history/summaryFile.ts';
import { trendView } from '../../regress/page/trendView.ts';
import { counted } from '../../uvm/report/counted.ts';
import { regressProgram } from '../calledAs.ts';
import type { FlagTable } from '../cli/flagTable.ts';
import { numberOf } from '../cli/flagValues.ts';
import { commandUsage } from '../cli/commands/regressCommands.ts';
import { helpText } from '../cli/helpText.ts';
import { problemReport } from '../cli/problemReport.ts';
import { commandLineTokens } from '../cli/token.ts';
import type { Outputs } from '../many/playRegression.ts';
import { EXIT } from '../run/runSpec.ts';
import { projectDefaults } from '../project/projectDefaults.ts';
import { historyFile } from './historyOf.ts';
import { plainTable } from './plainTable.ts';

const HISTORY_FLAGS = {
  file: { group: 'How:', type: 'string', value: 'file', describe: 'File of the history (default out/history.sqlite)' },
  source: { group: 'How:', type: 'string', value: 'list', describe: 'Only regressions of this list or script' },
  last: {
    group: 'How:',
    type: 'string',
    value: 'n',
    describe: 'Number of regressions to show, latest first (default 30)',
  },
  json: { group: 'How:', type: 'boolean', describe: 'Print summaries as JSON' },
  help: { group: 'How:', type: 'boolean', alias: 'h', describe: 'This text' },
} as const satisfies FlagTable;

const EPILOGUE = [
  'Regressions add themselves when they end (Node 22.13 or later; --no-history). Their summary.json is the truth: import adds those of',
  'folders, also of folders in them, so that a file that was lost is made again. Exit codes: 0, 1 a run with equal arguments and',
  'sources went differently, 2 usage.',
].join('\n');

const DEFAULT_LAST = 30;

/** @param argv words behind `history` @returns the exit code */
export async function history(argv: readonly string[], { out, err }: Outputs): Promise<number> {
  const checked = readFlags(commandLineTokens(argv), HISTORY_FLAGS);
  const { flags } = checked;
  if (flags['help'] === true) {
    out.line(await helpText(commandUsage('history'), HISTORY_FLAGS, EPILOGUE));
    return EXIT.passed;
  }
  const text = (name: keyof typeof HISTORY_FLAGS): string | undefined => flags[name] as string | undefined;
  const defaults = await projectDefaults();
  const problems = [...checked.problems, ...defaults.problems];
  const [action, ...folders] = checked.positionals.map((word) => word.text);
  if (action !== undefined && action !== 'import')
    problems.push(`history ${action}: write history, or history import <out>...`);
  if (action === 'import' && folders.length === 0)
    problems.push('history import: needs folders of regressions, such as out');
  const last = numberOf('last', text('last'), 1, 100_000, problems) ?? DEFAULT_LAST;
  const path = text('file') ?? historyFile(defaults);
  const found = folders.flatMap((folder) => summariesIn(folder, problems));
  if (action === undefined && !existsSync(path))
    problems.push(`${path}: there is no history yet; history import <out>... makes it`);
  if (problems.length > 0) {
    err.line(problemReport(regressProgram(), problems));
    return EXIT.usage;
  }
  try {
    const opened = await History.open(path);
    if (opened === undefined) {
      err.line(`${regressProgram()}: ${NO_SQLITE}`);
      return EXIT.usage;
    }
    for (const summary of found) opened.add(summary);
    if (action === 'import') out.line(`${path}: ${counted(found.length, 'regression')} imported`);
    const contradictions = opened.contradictions();
    const shown = opened.summaries(last, text('source'));
    opened.close();
    if (flags['json'] === true) out.line(JSON.stringify({ regressions: shown, contradictions }));
    else if (action === undefined) for (const line of linesOf(shown, contradictions)) out.line(line);
    return contradictions.length === 0 ? EXIT.passed : EXIT.failed;
  } catch (error) {
    if (!(error instanceof HistoryError)) throw error;
    err.line(problemReport(regressProgram(), [error.message]));
    return EXIT.usage;
  }
}

/** Of a folder, of the folders in it, or of a file. */
function summariesIn(folder: string, problems: string[]): readonly RegressionSummaryFile[] {
  const isFolder = statOf(folder)?.isDirectory() === true;
  const below = isFolder ? readdirSync(folder).map((name) => join(folder, name, SUMMARY_FILE)) : [];
  const paths = (isFolder ? [join(folder, SUMMARY_FILE), ...below] : [folder]).filter((path) => statOf(path)?.isFile());
  if (paths.length === 0) problems.push(`${folder}: no regression has left a ${SUMMARY_FILE} there`);
  return paths.flatMap((path) => {
    try {
      return [readStoredJson(path, summarySchema)];
    } catch (error) {
      const why = whyUnread(error);
      if (why === undefined) throw error;
      problems.push(`${path}: no summary of a regression: ${why}`);
      return [];
    }
  });
}

function linesOf(shown: readonly RegressionSummaryFile[], contradictions: readonly Contradiction[]): readonly string[] {
  const tables = trendView(shown, 1)?.tables ?? [];
  return [
    ...tables.flatMap(({ title, columns, rows }) => [
      title,
      plainTable(
        columns,
        rows.map(({ cells }) => cells),
      ),
      '',
    ]),
    ...contradictions.map(
      ({ id, seed, statuses }) =>
        `error: ${id}, seed ${seed}, went differently with equal arguments and sources: ${statuses.join(', ')}`,
    ),
    contradictions.length === 0
      ? 'no run with equal arguments and sources went differently'
      : `${counted(contradictions.length, 'run')} with equal arguments and sources went differently`,
  ];
}
