/** `hca_regress shrink <folder>`: the smallest run of each signature of a regression is shrunk. */

import { readFlags } from '../cli/readFlags.ts';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { JournalError, readJournal } from '../../regress/readJournal.ts';
import { counted } from '../../uvm/report/counted.ts';
import { regressProgram } from '../calledAs.ts';
import { wholeOf } from '../cli/flagValues.ts';
import { commandUsage } from '../cli/commands/regressCommands.ts';
import { helpText } from '../cli/helpText.ts';
import { problemReport } from '../cli/problemReport.ts';
import type { FlagTable } from '../cli/flagTable.ts';
import { testFoldersIn } from '../cli/testFolders.ts';
import { commandLineTokens } from '../cli/token.ts';
import { projectDefaults } from '../project/projectDefaults.ts';
import { Registries } from '../registries.ts';
import { loadRegistry, type Registry } from '../registry.ts';
import { exitCodeOfInterrupt } from '../run/limits/interrupts.ts';
import { EXIT } from '../run/runSpec.ts';
import type { WorkerPrograms } from './localPool.ts';
import type { Outputs } from './playRegression.ts';
import { isShrunk, shrinkBuckets } from './shrinkBuckets.ts';
import { linkProblems } from './storedRuns.ts';

const DEFAULT_RUNS = 2000;
const DEFAULT_SECONDS = 600;
const MOST = 1_000_000;

const SHRINK_FLAGS = {
  'shrink-runs': {
    group: 'How:',
    type: 'string',
    value: 'n',
    describe: `Maximum number of runs for each failure (default ${DEFAULT_RUNS})`,
  },
  'shrink-seconds': {
    group: 'How:',
    type: 'string',
    value: 'seconds',
    describe: `Maximum seconds for each failure (default ${DEFAULT_SECONDS})`,
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

/** @param argv words behind `shrink` @param programs of its workers; default: what the build has @returns the exit code */
export async function shrinkRegression(
  argv: readonly string[],
  { out, err }: Outputs,
  programs: WorkerPrograms & { readonly registry?: Registry } = {},
): Promise<number> {
  const checked = readFlags(commandLineTokens(argv), SHRINK_FLAGS);
  const { flags } = checked;
  if (flags['help'] === true) {
    out.line(await helpText(commandUsage('shrink'), SHRINK_FLAGS, EPILOGUE));
    return EXIT.passed;
  }
  const words = checked.positionals.map(({ text }) => text);
  const testPaths = testFoldersIn(words);
  const [folder, ...more] = words.filter((word) => testFoldersIn([word]).length === 0);
  const found = folder === undefined ? 'shrink: needs the folder of a regression' : journalIn(folder);
  const defaults = await projectDefaults();
  const problems = [
    ...checked.problems,
    ...defaults.problems,
    ...more.map((word) => `${word} (command line): stands alone; one folder at a time`),
  ];
  const number = (name: keyof typeof SHRINK_FLAGS, fallback: number): number =>
    wholeOf(name, flags[name] as string | undefined, { least: 1, most: MOST }, fallback, problems);
  const runs = number('shrink-runs', DEFAULT_RUNS);
  const seconds = number('shrink-seconds', DEFAULT_SECONDS);
  const jobs = number('jobs', Number(defaults.values.get('jobs')?.value ?? availableParallelism()));
  if (typeof found === 'string') problems.push(found);
  if (typeof found === 'string' || problems.length > 0) {
    err.line(problemReport(regressProgram(), problems));
    return EXIT.usage;
  }
  const results = [...found.results.values()];
  const links = linkProblems(
    `shrink ${folder}`,
    dirname(found.path),
    results.map(({ id }) => id),
  );
  const registries = new Registries(programs.registry ?? (await loadRegistry()), (line) =>
    err.line(`rnic-verify: ${line}`),
  );
  const opened = await Promise.all(testPaths.map((path) => registries.open(path, process.cwd())));
  links.push(...opened.flatMap((each) => each.problems));
  if (links.length > 0) {
    err.line(problemReport(regressProgram(), links));
    return EXIT.usage;
  }
  const { compiled: testFolders } = registries;
  const settings = { folder: dirname(found.path), jobs, runs, seconds, testFolders, programs };
  let code: number = EXIT.passed;
  let told = 0;
  const { stoppedBy } = await shrinkBuckets(results, settings, ({ bucket, outcome }) => {
    const { id, count, smallest } = bucket;
    told++;
    out.line(`[${id}] ${counted(count, 'run')}, smallest ${smallest}`);
    if (!isShrunk(outcome)) {
      err.line(`${regressProgram()}: ${smallest} ${outcome.why}`);
      code = Math.max(code, outcome.hasRecord ? EXIT.failed : EXIT.usage);
      return;
    }
    for (const line of outcome.lines) out.line(line);
    out.line(`play it: ${outcome.shrunk.replay}`);
  });
  if (told === 0 && stoppedBy === undefined) out.line(`${folder}: no run has failed, so there is nothing to shrink`);
  return stoppedBy === undefined ? code : exitCodeOfInterrupt(stoppedBy);
}

const EPILOGUE = 'Shrinks the run that fails earliest of each bucket of failures, into shrunk.yaml beside its record.';

function journalIn(folder: string): ReturnType<typeof readJournal> | string {
  try {
    return readJournal(folder);
  } catch (error) {
    if (error instanceof JournalError) return `shrink ${folder}: ${error.message}`;
    throw error;
  }
}
