/** `hca_regress report`: the page of a regression, or of several as one, anew or against an earlier one. */

import { readFlags } from '../../cli/readFlags.ts';
import { dirname, resolve } from 'node:path';
import { fileProblem } from '../../../files/fileError.ts';
import { writeAtomically } from '../../../regress/atomicFile.ts';
import { readRegressions, type StoredRegression, summaryOfStored } from '../../../regress/page/storedRegression.ts';
import { JournalError } from '../../../regress/readJournal.ts';
import { regressProgram } from '../../calledAs.ts';
import { commandUsage } from '../../cli/commands/regressCommands.ts';
import { helpText } from '../../cli/helpText.ts';
import { problemReport } from '../../cli/problemReport.ts';
import { REPORT_FLAGS } from '../../cli/reportFlags.ts';
import { commandLineTokens, emptyWord } from '../../cli/token.ts';
import { EXIT } from '../../run/runSpec.ts';
import { pageIn, RegressionReporter } from './regressionReporter.ts';
import type { Outputs } from '../playRegression.ts';

const EPILOGUE = [
  'The page is one file that loads nothing: it can be sent, or opened from a file share. Every run of hca_regress leaves one.',
  'Exit codes: 0, 2 usage, 3 a file could not be written. What the regression came to does not count.',
].join('\n');

interface ReportCommand {
  readonly help: boolean;
  readonly folders: readonly string[];
  readonly base: string | undefined;
  readonly html: string | undefined;
  /** '' = standard output. */
  readonly markdown: string | undefined;
  readonly problems: readonly string[];
}

/** @param argv words behind `report` @returns the exit code */
export async function report(argv: readonly string[], { out, err }: Outputs): Promise<number> {
  const command = parseReportCommand(argv);
  if (command.help) {
    out.line(await helpText(commandUsage('report'), REPORT_FLAGS, EPILOGUE));
    return EXIT.passed;
  }
  const problems = [...command.problems];
  const regressions = command.folders.flatMap((folder) => read(folder, problems));
  const base = command.base === undefined ? [] : read(command.base, problems);
  const [first] = command.folders;
  if (problems.length > 0 || first === undefined) {
    err.line(problemReport(regressProgram(), problems));
    return EXIT.usage;
  }
  const page = command.html ?? pageIn(first);
  const reporter = new RegressionReporter(regressions, {
    base,
    history: regressions.map((regression) => summaryOfStored(regression)),
    pageFolder: dirname(resolve(page)),
  });
  const lost = write(command, page, reporter, out);
  for (const problem of lost) err.line(`${regressProgram()}: ${problem}`);
  return lost.length > 0 ? EXIT.infrastructure : EXIT.passed;
}

/** @returns what could not be written */
function write(
  { html, markdown }: ReportCommand,
  page: string,
  reporter: RegressionReporter,
  out: Outputs['out'],
): readonly string[] {
  const lost: (string | undefined)[] = [];
  const note = (path: string, problem: string | undefined): void => {
    lost.push(problem);
    if (problem === undefined) out.line(path);
  };
  if (markdown === '') out.line(reporter.markdown().trimEnd());
  else if (markdown !== undefined)
    note(
      markdown,
      fileProblem(markdown, () => writeAtomically(markdown, reporter.markdown())),
    );
  if (markdown === undefined || html !== undefined) note(page, reporter.writePage(page));
  return lost.filter((problem) => problem !== undefined);
}

function parseReportCommand(argv: readonly string[]): ReportCommand {
  const checked = readFlags(commandLineTokens(argv), REPORT_FLAGS);
  const { flags } = checked;
  const text = (name: keyof typeof REPORT_FLAGS): string | undefined => flags[name] as string | undefined;
  const folders = checked.positionals.filter(({ text: word }) => word !== '');
  const problems = [...checked.problems, ...checked.positionals.filter(({ text: word }) => word === '').map(emptyWord)];
  const help = flags['help'] === true;
  if (folders.length === 0 && !help) problems.push('report: needs the folder of a regression, such as out/nightly');
  return {
    help,
    folders: folders.map((word) => word.text),
    base: text('base'),
    html: text('html'),
    markdown: text('markdown'),
    problems,
  };
}

function read(folder: string, problems: string[]): readonly StoredRegression[] {
  try {
    return readRegressions(folder);
  } catch (error) {
    if (!(error instanceof JournalError)) throw error;
    problems.push(error.message);
    return [];
  }
}
