/**
 * `hca_regress`: runs many tests on several processes.
 *
 *   list or script -> jobs -> workers (regress/pool), which play them with bin/player -> journal, table, reports
 */

import { join } from 'node:path';
import { type ClosureLog, isClosure, readClosureLog } from '../regress/closure/closureLog.ts';
import { type FolderLock, lockFolder } from '../regress/folderLock.ts';
import type { ReadKnownIssues } from '../regress/known/knownIssuesFile.ts';
import { readJournal } from '../regress/readJournal.ts';
import { shardOf } from '../regress/shard.ts';
import { setEarlierAside } from '../regress/setEarlierAside.ts';
import { callOf, regressProgram } from './calledAs.ts';
import { helpText } from './cli/helpText.ts';
import { problemReport } from './cli/problemReport.ts';
import { parseRegressCommand, type RegressCommand } from './cli/commands/regressCommand.ts';
import { commandsPage, commandUsage } from './cli/commands/regressCommands.ts';
import { REGRESS_FLAGS } from './cli/regressFlags.ts';
import { withSeed } from './cli/seed.ts';
import { DescriptorOutput } from './cli/syncOutput.ts';
import { playClosure } from './many/closure/playClosure.ts';
import {
  clearUnfinished,
  completeResults,
  failedJobs,
  journalOf,
  leftJobs,
  resumedJobs,
  resumeProblems,
} from './many/earlierRegression.ts';
import { type JobSource, NO_JOBS } from './many/jobs/askedJobs.ts';
import { readJobs } from './many/jobs/jobSource.ts';
import { openAll } from './many/jobs/ownFolders.ts';
import { type Outputs, type PlannedRegression, playRegression } from './many/playRegression.ts';
import { planOf } from './many/planOf.ts';
import { shownArgv } from './many/jobs/preparedJobs.ts';
import { linkProblems, storedProblems } from './many/storedRuns.ts';
import { listNames } from './many/jobs/severalSources.ts';
import { knownIssuesOf } from './known/knownIssuesOf.ts';
import { KnownFailures } from './many/knownFailures.ts';
import { listPath } from './many/shippedLists.ts';
import { OTHER_COMMANDS, type OtherCommand, type RegressMainOptions } from './otherCommands.ts';
import { type CompiledFolders, Registries } from './registries.ts';
import { loadRegistry } from './registry.ts';
import { callLine } from './run/replay/replayLine.ts';
import { outFolderOf, projectDefaults } from './project/projectDefaults.ts';
import { EXIT } from './run/runSpec.ts';
import { folderProblems, makeNamedFolder } from './run/outputPaths.ts';
import { currentVersions, projectRoot, versionText } from './versions.ts';

const STANDARD_OUTPUT = 1;
const STANDARD_ERROR = 2;
const RUN_EPILOGUE = [
  'Plusargs are given to every run in place of its own of the same name.',
  'A list is YAML (docs/running.md); a script holds lines of the form "./hca_test ... -l log", also behind bsub;',
  'with --shell your own shell runs it, so that loops, variables and functions work.',
  'Shipped lists go by their names: smoke, families, and the families one by one (lists/*.yaml).',
  'Exit codes: 0 all passed, 1 a test failed, 2 usage, 3 infrastructure (crash, time-out), 4 gate missed, 130 Ctrl-C.',
].join('\n');

/** @returns the exit code */
export async function main(argv: readonly string[], options: RegressMainOptions = {}): Promise<number> {
  const out = options.out ?? new DescriptorOutput(STANDARD_OUTPUT, 0);
  const err = options.err ?? new DescriptorOutput(STANDARD_ERROR, 0);
  const [verb = '', ...rest] = argv;
  const other = Object.hasOwn(OTHER_COMMANDS, verb) ? OTHER_COMMANDS[verb as OtherCommand] : undefined;
  if (other !== undefined) {
    const context = {
      outputs: { out, err },
      options,
      registries: () => registriesOf(options, err),
      play: (words: readonly string[]) => main(words, options),
    };
    return await other(rest, context);
  }
  const defaults = await projectDefaults();
  const given = parseRegressCommand(argv, defaults);
  const command = withPaths(given);
  if (command.action === 'help') {
    out.line(verb === 'run' ? await runHelp() : commandsPage());
    return EXIT.passed;
  }
  if (command.action === 'version' && command.problems.length === 0) {
    out.line(versionText());
    return EXIT.passed;
  }
  if (command.action === 'show-config' || defaults.problems.length > 0) return showConfig(command, { out, err });
  if (command.resume !== undefined) {
    const go = isClosure(command.resume) ? resumeClosure : resume;
    return go(command, command.resume, options, { out, err });
  }
  const ready = await planned(command, options, err);
  if (ready === undefined) return EXIT.usage;
  const { source, known, issues } = ready;
  if (command.touchedBy.length > 0 && source.jobs.length === 0) {
    out.line(`no run of ${command.sources.join(', ')} is touched by ${command.touchedBy.join(', ')}`);
    return EXIT.passed;
  }
  if (command.dryRun) return showJobs(source, out, err);
  const folder = command.out ?? defaultFolder(command, new Date());
  const lock = takeFolder('--out', folder, source, err);
  if (lock === undefined) return EXIT.usage;
  try {
    const earlier = setEarlierAside(folder);
    if (earlier !== undefined) err.line(`note: ${folder} held an earlier regression, which is now in ${earlier}`);
    const plan = planOf(command, source, [regressProgram(), ...seededArgv(command)]);
    const its = { folder, source, plan, known, issues };
    if (command.untilCoverage === undefined) return await playRegression(command, its, options, { out, err });
    return await close(command, its, options, { out, err });
  } finally {
    lock.release();
  }
}

async function runHelp(): Promise<string> {
  return await helpText(commandUsage('run'), REGRESS_FLAGS, RUN_EPILOGUE);
}

/** Shipped lists are named without their paths. */
function withPaths(command: RegressCommand): RegressCommand {
  return { ...command, sources: command.sources.map((source) => listPath(source)) };
}

/** @returns the exit code */
async function showConfig({ argv, defaults, problems }: RegressCommand, { out, err }: Outputs): Promise<number> {
  const mistakes = [...defaults.problems, ...problems];
  if (mistakes.length > 0) {
    err.line(problemReport(regressProgram(), mistakes));
    return EXIT.usage;
  }
  const { configTable } = await import('./project/configTable.ts');
  out.line(configTable('hca_regress', argv, defaults));
  return EXIT.passed;
}

/** As it was called, with the seed that was drawn. */
function seededArgv({ argv, defaults, seed, seedGiven, fixedSeed }: RegressCommand): readonly string[] {
  const isDrawn = !seedGiven && fixedSeed === undefined && defaults.values.get('seed')?.value === 'random';
  return isDrawn ? [...argv, '--seed', String(seed)] : withSeed(argv, fixedSeed ?? seed);
}

/** The runs that are asked for, with failures that are known; undefined where mistakes were found and said. */
async function planned(
  command: RegressCommand,
  options: RegressMainOptions,
  err: DescriptorOutput,
): Promise<(Required<Pick<PlannedRegression, 'source' | 'issues'>> & { readonly known: KnownFailures }) | undefined> {
  const asked = await readSource(command, options, err);
  if (asked === undefined) return undefined;
  const known = new KnownFailures(command, process.cwd(), asked.testFolders);
  for (const note of known.notes) err.line(`note: ${note}`);
  const { issues, problems } = await issuesOf(command, command.sources, options, err);
  const mistakes = [...known.problems, ...problems];
  const source = await touchedAlone({ ...asked, jobs: [...known.jobs, ...asked.jobs] }, command, options, err);
  if (mistakes.length === 0) return { source: withShard(source, command), known, issues };
  err.line(problemReport(regressProgram(), mistakes));
  return undefined;
}

/** Known issues that count in a regression. */
async function issuesOf(
  command: RegressCommand,
  sources: readonly string[],
  options: RegressMainOptions,
  err: DescriptorOutput,
): Promise<ReadKnownIssues> {
  const { registry } = (await registriesOf(options, err)).of(undefined, process.cwd());
  return knownIssuesOf({ named: command.known, sources, nics: registry.nics, cwd: process.cwd() });
}

/** Of the runs of a list those that the changes of `--touched-by` touch. */
async function touchedAlone(
  source: JobSource,
  command: RegressCommand,
  options: RegressMainOptions,
  err: DescriptorOutput,
): Promise<JobSource> {
  if (command.touchedBy.length === 0) return source;
  const { RunImports } = await import('./many/touched/runImports.ts');
  const registries = await registriesOf(options, err, source.testFolders);
  await openAll(source.jobs, registries, command);
  const imports = await RunImports.of(source.jobs, registries);
  return { ...source, jobs: imports.touchedBy(command.touchedBy) };
}

function withShard(source: JobSource, { shard }: RegressCommand): JobSource {
  if (shard === undefined) return source;
  const { jobs, plan } = shardOf(source.jobs, shard);
  return { ...source, jobs, shard: plan };
}

async function close(
  command: RegressCommand,
  its: PlannedRegression,
  options: RegressMainOptions,
  outputs: Outputs,
  earlier?: ClosureLog,
): Promise<number> {
  const registries = await registriesOf(options, outputs.err, its.source.testFolders);
  await openAll(its.source.jobs, registries, command);
  return await playClosure(command, its, registries, options, outputs, earlier);
}

/** Goes on with the closure of a folder. @returns the exit code */
async function resumeClosure(
  command: RegressCommand,
  folder: string,
  options: RegressMainOptions,
  outputs: Outputs,
): Promise<number> {
  const { err } = outputs;
  const log = readClosureLog(folder);
  const elsewhere = typeof log === 'string' ? log : elsewhereProblem(folder, log) || noClosureProblem(folder, log);
  const problems = [...command.problems, ...(elsewhere === '' ? [] : [elsewhere])];
  if (typeof log === 'string' || problems.length > 0) {
    err.line(problemReport(regressProgram(), problems));
    return EXIT.usage;
  }
  const { jobs, quiet, maxTimeSeconds, maxFailures } = command;
  const given = {
    ...parseRegressCommand(log.argv, command.defaults),
    jobs,
    quiet,
    maxTimeSeconds,
    maxFailures,
    out: undefined,
  };
  const begun = { ...withPaths(given), stored: command.stored };
  const ready = await planned(begun, options, err);
  if (ready === undefined) return EXIT.usage;
  const flag = `--resume ${folder}`;
  const named = command.stored?.testFolders ?? [];
  const obstacles = [...linkProblems(flag, folder), ...storedProblems(flag, ready.source.jobs, named)];
  if (obstacles.length > 0) {
    err.line(problemReport(regressProgram(), obstacles));
    return EXIT.usage;
  }
  if (command.dryRun) return showJobs(ready.source, outputs.out, err);
  const lock = takeFolder('--resume', folder, ready.source, err);
  if (lock === undefined) return EXIT.usage;
  try {
    if (log.sources !== currentVersions(projectRoot()).sources)
      err.line(`note: the sources have changed since ${folder} was begun; further runs are those of today`);
    const plan = { ...planOf(begun, ready.source, [regressProgram(), ...log.argv]), started: log.started };
    return await close(begun, { folder, ...ready, plan }, options, outputs, log);
  } finally {
    lock.release();
  }
}

/** What it was begun with may have been edited. */
function noClosureProblem(folder: string, { argv }: ClosureLog): string {
  const isOne = parseRegressCommand(argv).untilCoverage !== undefined;
  return isOne
    ? ''
    : `--resume ${folder}: its closure.json holds no command line with --until-coverage; start it again from its list`;
}

/** Lists and folders of tests are named as from the folder where it began. */
function elsewhereProblem(folder: string, { cwd }: ClosureLog): string {
  return cwd === process.cwd() ? '' : `--resume ${folder}: was begun in ${cwd}; go there first`;
}

/** Goes on with the regression of a folder. @returns the exit code */
async function resume(
  command: RegressCommand,
  folder: string,
  options: RegressMainOptions,
  outputs: Outputs,
): Promise<number> {
  const { err } = outputs;
  const found = journalOf(folder, '--resume');
  const obstacles = typeof found === 'string' ? [found] : resumeProblems(found, folder, command);
  const excused = await issuesOf(
    command,
    typeof found === 'string' ? [] : (found.plan.lists ?? [found.plan.source]),
    options,
    err,
  );
  const mistakes = command.dryRun && typeof found !== 'string' ? [] : obstacles;
  const problems = [...command.problems, ...mistakes, ...excused.problems];
  if (typeof found === 'string' || problems.length > 0) {
    err.line(problemReport(regressProgram(), problems));
    return EXIT.usage;
  }
  if (command.dryRun) return showJobs({ ...NO_JOBS, jobs: leftJobs(found) }, outputs.out, err);
  const source = await resumedJobs(found, folder, await registriesOf(options, err));
  for (const note of source.notes) err.line(`note: ${note}`);
  const lock = takeFolder('--resume', folder, source, err);
  if (lock === undefined) return EXIT.usage;
  try {
    // What was read before the folder was taken may have been written on since.
    const journal = readJournal(folder);
    const { plan, wholeBytes } = journal;
    if (plan.sources !== currentVersions(projectRoot()).sources)
      err.line(`note: the sources have changed since ${folder} was begun; further runs are those of today`);
    await clearUnfinished(journal, folder);
    const earlier = { results: completeResults(journal), wholeBytes };
    const asBegun = { ...command, ...plan.settings };
    const its = { folder, source, plan, earlier, issues: excused.issues };
    return await playRegression(asBegun, its, options, outputs);
  } finally {
    lock.release();
  }
}

/** The runs that a command asks for, with what is to be said of them; undefined where mistakes were found and said. */
async function readSource(
  command: RegressCommand,
  options: RegressMainOptions,
  err: DescriptorOutput,
): Promise<JobSource | undefined> {
  const own = [...command.problems, ...(command.out === undefined ? [] : folderProblems(command.out))];
  const asked = { ...command, problems: own };
  const registries = await registriesOf(options, err);
  const source = await sourceOf(asked, registries);
  const problems = [...own, ...(source?.problems ?? [])];
  for (const note of source?.notes ?? []) err.line(`note: ${note}`);
  for (const unknown of source?.unknown ?? []) err.line(`warning: ${unknown}`);
  if (source !== undefined && problems.length === 0) return source;
  err.line(problemReport(regressProgram(), problems));
  return undefined;
}

/** Of a list or script, or of the failures of an earlier regression; undefined where neither was named. */
async function sourceOf(command: RegressCommand, registries: Registries): Promise<JobSource | undefined> {
  if (command.failed === undefined) return command.sources.length === 0 ? undefined : readJobs(command, registries);
  const journal = journalOf(command.failed, '--failed');
  return typeof journal === 'string'
    ? { ...NO_JOBS, problems: [journal] }
    : await failedJobs(journal, command, registries);
}

/** A dry run. @returns the exit code */
function showJobs({ jobs, wrongLines }: JobSource, out: DescriptorOutput, err: DescriptorOutput): number {
  for (const job of jobs) out.line(`${callLine(callOf(job, process.cwd()), shownArgv(job))}  # ${job.id}`);
  if (wrongLines.length === 0) return EXIT.passed;
  err.line(problemReport(regressProgram(), wrongLines));
  return EXIT.usage;
}

/** Makes the folders of a regression and takes hold of its own; undefined where that cannot be done, which is said. */
function takeFolder(
  flag: string,
  folder: string,
  { folders }: JobSource,
  err: DescriptorOutput,
): FolderLock | undefined {
  const unmade = [...folders.flatMap((made) => makeNamedFolder('mkdir', made)), ...makeNamedFolder(flag, folder)];
  const lock = unmade.length > 0 ? undefined : lockFolder(folder, flag);
  if (typeof lock === 'object') return lock;
  err.line(problemReport(regressProgram(), lock === undefined ? unmade : [lock]));
  return undefined;
}

/** @param compiled folders of tests that are not to be compiled again */
async function registriesOf(
  { registry }: RegressMainOptions,
  err: DescriptorOutput,
  compiled: CompiledFolders = {},
): Promise<Registries> {
  return new Registries(registry ?? (await loadRegistry()), (line) => err.line(`rnic-verify: ${line}`), compiled);
}

/** Characters of the names of lists in that of a folder. */
const MOST_OF_NAME = 80;

function defaultFolder({ sources, failed, defaults }: RegressCommand, now: Date): string {
  const name = failed !== undefined ? 'failed' : listNames(sources).join('-').slice(0, MOST_OF_NAME);
  const stamp = now
    .toISOString()
    .replace(/\.\d+Z$/, '')
    .replace(/[-:]/g, '');
  return join(outFolderOf(defaults), `regress-${name}-${stamp}-${process.pid}`);
}
