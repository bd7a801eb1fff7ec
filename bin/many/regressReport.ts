/** What a regression says at its end. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Total, totalLine } from '../../regress/coverage/totalLine.ts';
import { isExcused } from '../../regress/job.ts';
import type { RegressionReport } from '../../regress/regression.ts';
import { bugEffectLines } from '../../regress/report/bugEffectLines.ts';
import { failureGroupLines } from '../../regress/report/failureGroups.ts';
import { failureList } from '../../regress/report/failureList.ts';
import { formatDuration } from '../../regress/report/formatDuration.ts';
import { knownLines } from '../../regress/report/knownLines.ts';
import { retriedLines } from '../../regress/report/retriedLines.ts';
import { summaryTable } from '../../regress/report/summaryTable.ts';
import { switchedOffLines } from '../../regress/report/switchedOffLines.ts';
import { unusedLines } from '../../regress/report/unusedLines.ts';
import { commandLine } from '../../uvm/cmdline/shellQuote.ts';
import { regressProgram } from '../calledAs.ts';
import type { DescriptorOutput } from '../cli/syncOutput.ts';
import { EXIT } from '../run/runSpec.ts';

/** Notes about a script that the summary repeats. */
const MAX_NOTES = 10;

/**
 * Failures, the table, what is to be known besides, and the verdict as the last line.
 * @param notes about the script
 * @param stopped what is to be said of a regression that was interrupted
 * @param lost what could not be written, and what has kept workers from playing
 * @param testFolders that its runs load: what goes on names them again
 * @param coverage of all runs that passed; undefined where none was measured
 */
export function printReport(
  report: RegressionReport,
  notes: readonly string[],
  stopped: readonly string[],
  lost: readonly string[],
  { folder, testFolders }: { readonly folder: string; readonly testFolders: readonly string[] },
  coverage: Total | undefined,
  out: DescriptorOutput,
): void {
  const { total } = report.summary;
  for (const line of failureList(report.results)) out.line(line);
  for (const line of failureGroupLines(report.failures)) out.line(line);
  out.line(summaryTable(report.summary));
  for (const lines of [unusedLines, switchedOffLines, bugEffectLines, retriedLines]) {
    for (const line of lines(report.results)) out.line(line);
  }
  for (const line of knownLines(report.known)) out.line(line);
  for (const line of noteLines(notes)) out.line(line);
  for (const line of stopped) out.line(line);
  if (report.interrupted) out.line(stoppedLine(report));
  if (coverage !== undefined) out.line(`${totalLine(coverage)}; hca_regress coverage ${folder} shows it`);
  out.line(`${reportNames(folder)}; ${formatDuration(report.wallMs)}, seed ${report.seed}`);
  for (const line of nextLines(report, folder, testFolders)) out.line(line);
  const { green, red } = out.colours;
  const verdict = verdictOf(report, lost);
  const colour = verdict === 'PASSED' ? green : red;
  const last = `REGRESSION ${verdict} ${total.counts.passed} of ${total.planned} passed${knownText(total.counts.known)}${notBegun(report)}`;
  out.line(last, (text) => text.replace(/^REGRESSION \w+/, colour));
}

function knownText(runs: number): string {
  return runs === 0 ? '' : `, ${runs} known`;
}

function stoppedLine({ stoppedBy, summary: { notRun } }: RegressionReport): string {
  const have = notRun === 1 ? 'run has' : 'runs have';
  return `stopped${stoppedBy === '' ? '' : ` by ${stoppedBy}`}: ${notRun} ${have} no result`;
}

/** Of a regression that passed although it did not play all that was planned. */
function notBegun({ stoppedBy, summary: { notRun } }: RegressionReport): string {
  return stoppedBy === '' ? '' : `, ${notRun} not begun (${stoppedBy})`;
}

/** What to type next, where there is anything to be done. */
function nextLines(
  { results, interrupted, command }: RegressionReport,
  folder: string,
  testFolders: readonly string[],
): string[] {
  const named = testFolders.map((path) => `+TEST_PATH=${path}`);
  const program = regressProgram();
  const failed = results.filter((result) => !isExcused(result)).length;
  return [
    ...(interrupted ? [`go on: ${commandLine([program, 'run', '--resume', folder, ...named])}`] : []),
    ...(failed > 0 ? [`failures once more: ${commandLine([program, 'run', '--failed', folder, ...named])}`] : []),
    ...(failed > 0 || interrupted ? [`all once more: ${command}`] : []),
  ];
}

/** Those that are there: what could not be written, or was removed, is said elsewhere. */
function reportNames(folder: string): string {
  const [first, ...others] = ['report.json', 'junit.xml', 'runs.jsonl'].filter((name) =>
    existsSync(join(folder, name)),
  );
  return first === undefined ? 'no reports' : `reports ${[join(folder, first), ...others].join(', ')}`;
}

/** A regression of which nothing has failed so far is no failure when it is interrupted, and no success. */
function verdictOf({ exitCode, interrupted, results }: RegressionReport, lost: readonly string[]): string {
  if (exitCode === EXIT.passed && lost.length === 0) return 'PASSED';
  return interrupted && results.every(isExcused) ? 'STOPPED' : 'FAILED';
}

/** Notes about a script once more: what was said before the first run has long scrolled away. */
function noteLines(notes: readonly string[]): string[] {
  const more = notes.length - MAX_NOTES;
  const lines = notes.slice(0, MAX_NOTES).map((note) => `note: ${note}`);
  return more > 0 ? [...lines, `note: ${more} further notes are at the beginning of the output`] : lines;
}
