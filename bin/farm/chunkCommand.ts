/** `hca_regress chunk`: plays a chunk of a farm. Called by schedulers on nodes, not by people. */

import { type ChunkNumber, FarmFolder } from '../../regress/farm/farmFolder.ts';
import type { FarmSettings } from '../../regress/farm/farmFiles.ts';
import { type ChunkMachine, isSessionPath, playChunk } from '../../regress/farm/playChunk.ts';
import type { Job } from '../../regress/job.ts';
import { regressProgram } from '../calledAs.ts';
import { problemReport } from '../cli/problemReport.ts';
import { testFoldersIn } from '../cli/testFolders.ts';
import { localPool, type WorkerPrograms } from '../many/localPool.ts';
import { openAll } from '../many/jobs/ownFolders.ts';
import type { Outputs } from '../many/playRegression.ts';
import { storedProblems } from '../many/storedRuns.ts';
import type { Registries } from '../registries.ts';
import { EXIT } from '../run/runSpec.ts';
import { currentVersions, projectRoot } from '../versions.ts';

/** What ends the process of a chunk: a scheduler that cancels, or a terminal. */
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
const MOST_CHUNKS = 999_999_999;

/** @param argv words behind `chunk` @returns the exit code */
export async function chunkCommand(
  argv: readonly string[],
  registries: () => Promise<Registries>,
  { out, err }: Outputs,
  programs: WorkerPrograms,
): Promise<number> {
  const plusargs = argv.filter((word) => word.startsWith('+'));
  const [path = '', number = '', ...rest] = argv.filter((word) => !word.startsWith('+'));
  const permitted = testFoldersIn(plusargs);
  const problems = problemsOf(path, number, [...rest, ...(permitted.length < plusargs.length ? plusargs : [])]);
  if (problems.length > 0) {
    err.line(problemReport(regressProgram(), problems));
    return EXIT.usage;
  }
  const machine = new ThisMachine(await registries(), permitted, programs);
  const end = await playChunk(new FarmFolder(path), Number(number) as ChunkNumber, machine, (stop) => {
    for (const signal of SIGNALS) process.once(signal, stop);
  });
  if ('why' in end)
    (end.kind === 'taken' ? out : err).line(`${regressProgram()}: chunk ${number}: ${end.kind}: ${end.why}`);
  if (end.kind === 'unreadable') return EXIT.usage;
  return end.kind === 'refused' ? EXIT.infrastructure : EXIT.passed;
}

function problemsOf(path: string, number: string, others: readonly string[]): string[] {
  const problems: string[] = [];
  if (!isSessionPath(path))
    problems.push(
      `chunk: ${path || 'needs a session of a farm'}; expected its whole path, such as /net/out/nightly/farm/1`,
    );
  if (!/^[1-9]\d*$/.test(number) || Number(number) > MOST_CHUNKS)
    problems.push(`chunk: ${number || 'needs a number'}; expected the number of a chunk, from 1`);
  for (const word of others) problems.push(`chunk: ${word}: has no meaning here; allowed: +TEST_PATH=<folder>`);
  return problems;
}

class ThisMachine implements ChunkMachine {
  readonly sources = currentVersions(projectRoot()).sources;
  readonly #registries: Registries;
  /** Folders of tests that whoever has started this process permits. */
  readonly #permitted: readonly string[];
  readonly #programs: WorkerPrograms;

  constructor(registries: Registries, permitted: readonly string[], programs: WorkerPrograms) {
    this.#registries = registries;
    this.#permitted = permitted;
    this.#programs = programs;
  }

  launcher: ChunkMachine['launcher'] = (settings, out, listeners) => {
    const stored = settings.stored ? { testFolders: this.#permitted } : undefined;
    const command = { ...settings, jobs: settings.workers, stored };
    return localPool(command, out, this.#registries.compiled, this.#programs, listeners);
  };

  async obstacle({ testFolders }: FarmSettings, jobs: readonly Job[]): Promise<string | undefined> {
    const [problem] = storedProblems('chunk', jobs, this.#permitted);
    if (problem !== undefined) return problem;
    await openAll(jobs, this.#registries, { dryRun: false, plusargs: [], stored: { testFolders: this.#permitted } });
    const changed = Object.entries(this.#registries.compiled).find(
      ([path, { sha256 }]) => testFolders[path] !== sha256,
    );
    return changed === undefined ? undefined : `${changed[0]}: other sources than when the regression began`;
  }
}
