/** The scenarios that a user names: a scenario file, or the runs of a list. */

import { basename } from 'node:path';
import { parseRegressCommand } from '../../cli/commands/regressCommand.ts';
import { DEFAULT_SEED } from '../../cli/seed.ts';
import { parseTestCommand } from '../../cli/commands/testCommand.ts';
import { readJobs } from './jobSource.ts';
import { listPath } from '../shippedLists.ts';
import { loadCommand } from '../../run/loadedCommand.ts';
import { jobProblems } from '../../run/playCommand.ts';
import type { CompiledFolders, Registries } from '../../registries.ts';

/** Which are asked for. */
export interface AskedScenarios {
  /** Scenario file or list. */
  readonly source: string;
  readonly filters: readonly string[];
  readonly exclusions: readonly string[];
  readonly seed: number | undefined;
  /** Every run gets them in place of its own of the same name. */
  readonly plusargs: readonly string[];
}

/** A scenario as it is to be played. Plain data. */
export interface NamedScenario {
  readonly name: string;
  /** Arguments of `hca_test`, seed included. */
  readonly argv: readonly string[];
  /** Folder for relative paths. */
  readonly cwd: string;
}

/** What was found under the name. */
export interface FoundScenarios {
  readonly scenarios: readonly NamedScenario[];
  readonly notes: readonly string[];
  readonly problems: readonly string[];
  readonly testFolders: CompiledFolders;
}

/** Reads the scenarios of a command, and finds their mistakes before anything is played. */
export async function readScenarios(command: AskedScenarios, registries: Registries): Promise<FoundScenarios> {
  return command.source.endsWith('.json') ? await fromFile(command, registries) : await fromList(command, registries);
}

async function fromFile(command: AskedScenarios, registries: Registries): Promise<FoundScenarios> {
  const { source, plusargs, seed = DEFAULT_SEED, filters, exclusions } = command;
  const cwd = process.cwd();
  const test = plusargs.some((word) => word.startsWith('+UVM_TESTNAME=')) ? [] : ['+UVM_TESTNAME=test_direct_param'];
  const argv = [...test, ...plusargs, '--scenario', source, '--seed', String(seed)];
  const loaded = loadCommand(parseTestCommand(argv, {}, cwd), cwd);
  const { registry, problems } = await registries.open(loaded.testPath, cwd);
  const choosing = [...filters, ...exclusions].map(
    (text) => `${text} (command line): ${source} is one scenario, of which none are chosen; leave it out`,
  );
  return {
    scenarios: [{ name: basename(source, '.json'), argv, cwd }],
    notes: [],
    problems: [...choosing, ...problems, ...jobProblems(loaded, registry, cwd)],
    testFolders: registries.compiled,
  };
}

async function fromList(command: AskedScenarios, registries: Registries): Promise<FoundScenarios> {
  const { source, filters, exclusions, seed, plusargs } = command;
  const words = [
    ...filters.flatMap((text) => ['--filter', text]),
    ...exclusions.flatMap((text) => ['--exclude', text]),
    ...(seed === undefined ? [] : ['--fixed-seed', String(seed)]),
  ];
  const asked = parseRegressCommand(['run', listPath(source), ...words, ...plusargs]);
  const { jobs, notes, problems, testFolders } = await readJobs(asked, registries);
  const isAlone = (family: string): boolean => jobs.filter((job) => job.family === family).length === 1;
  const scenarios = jobs.map(({ id, family, argv, cwd }) => ({ name: isAlone(family) ? family : id, argv, cwd }));
  return { scenarios, notes, problems: [...asked.problems, ...problems], testFolders };
}
