/** `hca_regress conformance`: the behaviours that there are, the proofs of their cases, and the page about them. */

import { readFlags } from '../cli/readFlags.ts';
import { dirname } from 'node:path';
import { writeAtomically } from '../../regress/atomicFile.ts';
import { JournalError, readJournal } from '../../regress/readJournal.ts';
import { regressProgram } from '../calledAs.ts';
import type { FlagTable } from '../cli/flagTable.ts';
import { commandUsage } from '../cli/commands/regressCommands.ts';
import { helpText } from '../cli/helpText.ts';
import { problemReport } from '../cli/problemReport.ts';
import { idsOf } from '../cli/commands/regressCommand.ts';
import { commandLineTokens } from '../cli/token.ts';
import type { WorkerPrograms } from '../many/localPool.ts';
import type { Outputs } from '../many/playRegression.ts';
import { listPath } from '../many/shippedLists.ts';
import { EXIT } from '../run/runSpec.ts';
import { countsTable, NOTHING, verdictsOf } from './behaviourCounts.ts';
import { CONFORMANCE_LIST, shippedBehaviours } from './behaviourTables.ts';
import { conformancePage } from './conformancePage.ts';
import { onlyProblems } from './onlyProblems.ts';
import { proveCases } from './prove.ts';

const CONFORMANCE_FLAGS = {
  prove: {
    group: 'What to do:',
    type: 'boolean',
    describe: 'Play each case with the planted bug that it names: it must fail',
  },
  only: {
    group: 'What to do:',
    type: 'string',
    value: 'ids',
    repeatable: true,
    describe: 'Only these ids, such as T-022,G117',
  },
  page: {
    group: 'What to do:',
    type: 'string',
    value: 'file',
    describe: 'Write the page of all behaviours to this file, with verdicts from --results',
  },
  results: {
    group: 'What to do:',
    type: 'string',
    value: 'out',
    repeatable: true,
    describe: 'Folder of a regression of the list conformance; one for each kind of NIC',
  },
  jobs: {
    group: 'How:',
    type: 'string',
    value: 'n',
    alias: 'j',
    describe: 'Worker processes (default: one per processor)',
  },
  help: { group: 'How:', type: 'boolean', alias: 'h', describe: 'This text' },
} as const satisfies FlagTable;

const EPILOGUE = 'Without --prove and --page: how many behaviours there are. "run conformance" plays them.';

/** @param argv words behind `conformance` @returns the exit code */
export async function conformance(
  argv: readonly string[],
  programs: WorkerPrograms,
  outputs: Outputs,
): Promise<number> {
  const checked = readFlags(commandLineTokens(argv), CONFORMANCE_FLAGS);
  const { flags } = checked;
  const { out, err } = outputs;
  if (flags['help'] === true) {
    out.line(await helpText(commandUsage('conformance'), CONFORMANCE_FLAGS, EPILOGUE));
    return EXIT.passed;
  }
  const stray = checked.positionals.map(({ text }) => `${text} (command line): stands alone; leave it out`);
  const { tables, problems: mistakes } = shippedBehaviours();
  const only = idsOf(checked.all('only'));
  const read = checked.all('results').map(readResults);
  const problems = [
    ...checked.problems,
    ...stray,
    ...mistakes,
    ...onlyProblems(only, tables, CONFORMANCE_LIST),
    ...read.filter((result) => typeof result === 'string'),
  ];
  if (problems.length > 0) {
    err.line(problemReport(regressProgram(), problems));
    return EXIT.usage;
  }
  if (flags['prove'] === true) {
    const folder = dirname(listPath(CONFORMANCE_LIST)).replace(/lists$/, 'conformance');
    return proveCases(tables, only, { folder, workers: flags['jobs'] as string | undefined }, programs, outputs);
  }
  const results = read.filter((result) => typeof result !== 'string');
  const page = flags['page'] as string | undefined;
  if (page === undefined) out.line(countsTable(tables, verdictsOf(tables, NOTHING)));
  else writeAtomically(page, conformancePage(tables, results));
  return EXIT.passed;
}

/** A string is the reason why they cannot be had. */
function readResults(folder: string): Parameters<typeof conformancePage>[1][number] | string {
  try {
    const { plan, results } = readJournal(folder);
    return { jobs: plan.jobs, results: [...results.values()], skipped: plan.skipped ?? [] };
  } catch (error) {
    if (error instanceof JournalError) return `--results ${folder}: ${error.message}`;
    throw error;
  }
}
