/** `hca_regress merge`: one report of the shards of a regression. */

import { readFlags } from '../cli/readFlags.ts';
import { cpSync, existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CoverageError } from '../../regress/coverage/coverageError.ts';
import { coverageTree } from '../../regress/coverage/coverageTree.ts';
import { merge, runsOf } from '../../regress/coverage/database.ts';
import { readStore } from '../../regress/coverage/readStore.ts';
import { STORE_NAME } from '../../regress/coverage/storeFormat.ts';
import type { Total } from '../../regress/coverage/totalLine.ts';
import { writeStore } from '../../regress/coverage/writeStore.ts';
import { lockFolder } from '../../regress/folderLock.ts';
import type { Job, JobResult } from '../../regress/job.ts';
import { KnownJudge } from '../../regress/known/knownJudge.ts';
import type { ReadKnownIssues } from '../../regress/known/knownIssuesFile.ts';
import type { Launcher } from '../../regress/launcher.ts';
import { makeFolder } from '../../regress/makeFolder.ts';
import { mergeShards, type ReadShard } from '../../regress/mergeShards.ts';
import { JournalError, readJournal } from '../../regress/readJournal.ts';
import { runRegression } from '../../regress/regression.ts';
import { setEarlierAside } from '../../regress/setEarlierAside.ts';
import { commandLine } from '../../uvm/cmdline/shellQuote.ts';
import { regressProgram } from '../calledAs.ts';
import type { FlagTable } from '../cli/flagTable.ts';
import { commandUsage } from '../cli/commands/regressCommands.ts';
import { helpText } from '../cli/helpText.ts';
import { problemReport } from '../cli/problemReport.ts';
import { commandLineTokens } from '../cli/token.ts';
import { historyFile } from '../history/historyOf.ts';
import { knownIssuesOf } from '../known/knownIssuesOf.ts';
import { leaveReports } from '../many/report/leftReport.ts';
import { printReport } from '../many/regressReport.ts';
import { linkProblems } from '../many/storedRuns.ts';
import type { Outputs } from '../many/playRegression.ts';
import { folderOf } from '../player.ts';
import { knownFilesOf, projectDefaults } from '../project/projectDefaults.ts';
import type { ProjectDefaults } from '../project/projectValues.ts';
import { loadRegistry, type Registry } from '../registry.ts';
import { folderProblems, makeNamedFolder } from '../run/outputPaths.ts';
import { EXIT } from '../run/runSpec.ts';

const MERGE_FLAGS = {
  out: {
    group: 'Output:',
    type: 'string',
    value: 'folder',
    describe: 'Folder for the journal, reports, coverage and records of all shards',
  },
  known: {
    group: 'How:',
    type: 'string',
    value: 'file',
    repeatable: true,
    describe: 'A further file of known issues, beside known_issues.yaml here and next to the list; may be repeated',
  },
  'no-history': {
    group: 'Output:',
    type: 'boolean',
    describe: 'Do not add this regression to the history (out/history.sqlite)',
  },
  help: { group: 'Output:', type: 'boolean', alias: 'h', describe: 'This text' },
} as const satisfies FlagTable;

const EPILOGUE =
  'All shards of one regression: the same list, seed, settings and sources. Exit codes are those of the regression.';

/** @param argv words behind `merge` @returns the exit code */
export async function mergeCommand(argv: readonly string[], { out, err }: Outputs, loaded?: Registry): Promise<number> {
  const checked = readFlags(commandLineTokens(argv), MERGE_FLAGS);
  const { flags } = checked;
  if (flags['help'] === true) {
    out.line(await helpText(commandUsage('merge'), MERGE_FLAGS, EPILOGUE));
    return EXIT.passed;
  }
  const folders = checked.positionals.map(({ text }) => text);
  const target = flags['out'] as string | undefined;
  const defaults = await projectDefaults();
  const problems = [...checked.problems, ...defaults.problems];
  if (folders.length === 0) problems.push('merge: needs the folders of all shards, such as out/shard-*');
  if (target === undefined) problems.push('merge: needs --out <folder>');
  else problems.push(...folderProblems(target));
  problems.push(...folders.flatMap((folder) => linkProblems('merge', folder)));
  const shards = problems.length > 0 ? [] : readAll(folders, problems);
  if (problems.length > 0 || target === undefined) return refused(problems, err);
  const found = await issuesOf(shards, [...checked.all('known'), ...knownFilesOf(defaults)], loaded);
  if (found.problems.length > 0) return refused(found.problems, err);
  const merged = mergeShards(shards, commandLine([regressProgram(), 'merge', ...argv]));
  if (!('plan' in merged)) return refused(merged, err);
  const unmade = makeNamedFolder('--out', target);
  const lock = unmade.length > 0 ? undefined : lockFolder(target);
  if (typeof lock !== 'object') return refused(lock === undefined ? unmade : [lock], err);
  try {
    const earlier = setEarlierAside(target);
    if (earlier !== undefined) err.line(`note: ${target} held an earlier regression, which is now in ${earlier}`);
    const launcher = new StoredResults(merged.results, new Map(shards.flatMap(recordsOf)), resolve(target));
    const known = new KnownJudge(found.issues, new Date());
    const played = await runRegression({ plan: merged.plan, launcher, out: target, known });
    const coverage = mergedCoverage(shards, target);
    const lost = [...played.lost, ...(typeof coverage === 'string' ? [coverage] : [])];
    const total = typeof coverage === 'string' ? undefined : coverage;
    const historyPath = flags['no-history'] === true ? undefined : historyOf(defaults);
    const ended = { plan: merged.plan, report: played.report, coverage: total, historyPath };
    const left = await leaveReports(target, ended);
    lost.push(...left.lost);
    if (left.unhistoried !== undefined) err.line(`warning: not in the history: ${left.unhistoried}`);
    printReport(played.report, [], [], lost, { folder: target, testFolders: [] }, total, out);
    for (const problem of lost) err.line(`${regressProgram()}: ${problem}`);
    if (left.page !== undefined) out.line(left.page);
    const { exitCode } = played.report;
    return lost.length === 0 || exitCode === EXIT.failed ? exitCode : EXIT.infrastructure;
  } finally {
    lock.release();
  }
}

/** As the shards were judged, and with what is known today: what is too broad is seen in all of them alone. */
async function issuesOf(
  shards: readonly ReadShard[],
  named: readonly string[],
  loaded: Registry | undefined,
): Promise<ReadKnownIssues> {
  const { nics } = loaded ?? (await loadRegistry());
  const sources = shards.slice(0, 1).flatMap(({ journal: { plan } }) => plan.lists ?? [plan.source]);
  return knownIssuesOf({ named, sources, nics, cwd: process.cwd() });
}

/** False in the defaults of a project: the history is not wanted. */
function historyOf(defaults: ProjectDefaults): string | undefined {
  return defaults.values.get('history')?.value === false ? undefined : historyFile(defaults);
}

function refused(problems: readonly string[], err: Outputs['err']): number {
  err.line(problemReport(regressProgram(), problems));
  return EXIT.usage;
}

function readAll(folders: readonly string[], problems: string[]): ReadShard[] {
  return folders.flatMap((folder) => {
    try {
      return [{ folder, journal: readJournal(folder) }];
    } catch (error) {
      if (!(error instanceof JournalError)) throw error;
      problems.push(error.message);
      return [];
    }
  });
}

/** Where the records of runs are now: folders of shards may have been moved since. */
function recordsOf({ folder, journal }: ReadShard): (readonly [string, string])[] {
  const there = [...journal.results.values()].filter(({ folder: kept }) => kept !== '');
  return there
    .map(({ id }): readonly [string, string] => [id, folderOf({ id }, folder)])
    .filter(([, path]) => existsSync(path));
}

/** Plays nothing: what is to be known of runs is there. */
class StoredResults implements Launcher {
  readonly #results: ReadonlyMap<string, JobResult>;
  readonly #records: ReadonlyMap<string, string>;
  readonly #out: string;

  /** @param records folders of runs, by id, which are copied */
  constructor(results: ReadonlyMap<string, JobResult>, records: ReadonlyMap<string, string>, out: string) {
    this.#results = results;
    this.#records = records;
    this.#out = out;
  }

  async run(jobs: readonly Job[], onResult: (result: JobResult) => void): Promise<void> {
    for (const { id } of jobs) {
      const result = this.#results.get(id);
      if (result !== undefined) onResult(this.#withRecord(result));
    }
  }

  playing(): [] {
    return [];
  }

  finish(): void {}

  stop(): void {}

  #withRecord(result: JobResult): JobResult {
    const from = this.#records.get(result.id);
    if (from === undefined) return result;
    const folder = folderOf(result, this.#out);
    makeFolder(folder);
    cpSync(from, folder, { recursive: true, verbatimSymlinks: true });
    const moved = (path: string): string =>
      path.startsWith(`${result.folder}/`) ? folder + path.slice(result.folder.length) : path;
    const { cause } = result;
    const its = cause === undefined ? {} : { cause: { ...cause, page: moved(cause.page) } };
    return { ...result, folder, log: moved(result.log), ...its };
  }
}

/** Of shards that have measured any; a text says what is wrong with it. */
function mergedCoverage(shards: readonly ReadShard[], target: string): Total | string | undefined {
  const stores = shards.map(({ folder }) => join(folder, STORE_NAME)).filter((path) => existsSync(path));
  if (stores.length === 0) return undefined;
  try {
    const all = merge(...stores.map((path) => readStore(path)));
    writeStore(join(target, STORE_NAME), all);
    return coverageTree(runsOf(all, ({ passed }) => passed));
  } catch (error) {
    if (error instanceof CoverageError) return error.problems.join('; ');
    throw error;
  }
}
