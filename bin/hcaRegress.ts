/**
 * `hca_regress`: runs many tests on several processes.
 *
 *   list or script -> jobs -> workers (regress/pool), which play them with bin/player -> journal, table, reports
 */

import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CoverageKeeper } from '../regress/coverage/coverageKeeper.ts';
import { STORE_NAME } from '../regress/coverage/storeFormat.ts';
import { type FolderLock, lockFolder } from '../regress/folderLock.ts';
import type { Job } from '../regress/job.ts';
import { setEarlierAside } from '../regress/setEarlierAside.ts';
import type { MeasuredRun } from '../regress/coverage/measuredRun.ts';
import { LocalLauncher } from '../regress/pool/localLauncher.ts';
import type { PoolOptions } from '../regress/pool/workerPool.ts';
import { runRegression } from '../regress/regression.ts';
import { commandLine } from '../regress/shellQuote.ts';
import { callOf, regressProgram } from './calledAs.ts';
import { helpText } from './cli/helpText.ts';
import { problemReport } from './cli/problemReport.ts';
import { parseRegressCommand, type RegressCommand } from './cli/regressCommand.ts';
import { REGRESS_FLAGS } from './cli/regressFlags.ts';
import { withSeed } from './cli/seed.ts';
import { DescriptorOutput } from './cli/syncOutput.ts';
import { showCoverage } from './many/coverageReport.ts';
import { describeJob, type JobSource, readJobs, shownArgv } from './many/jobSource.ts';
import { folderProblems, makeNamedFolder } from './run/outputPaths.ts';
import { type CompiledFolders, Registries } from './registries.ts';
import { loadRegistry, type Registry } from './registry.ts';
import { EXIT } from './run/runSpec.ts';
import { exitCodeOfInterrupt } from './run/limits/interrupts.ts';
import { RegressProgress } from './many/regressProgress.ts';
import { printReport } from './many/regressReport.ts';
import { RegressStop } from './many/regressStop.ts';
import { callLine } from './run/replay/replayLine.ts';
import { salvage } from './many/salvage.ts';
import { listPath } from './many/shippedLists.ts';
import { currentVersions, projectRoot, versionText } from './versions.ts';

const STANDARD_OUTPUT = 1;
const STANDARD_ERROR = 2;
/** Seconds that a run has beyond its wall-clock limit to end by itself, before its process is killed. */
const GRACE_SECONDS = 3;
/** Between two looks at runs that take long (ms). */
const TICK_MS = 1000;
const EPILOGUE = [
  'Plusargs are given to every run in place of its own of the same name.',
  'A list is YAML (docs/running.md); a script holds lines of the form "./hca_test ... -l log", also behind bsub;',
  'with --shell your own shell runs it, so that loops, variables and functions work.',
  'Shipped lists go by their names: smoke, families, and the families one by one (lists/*.yaml).',
  'Exit codes: 0 all passed, 1 a test failed, 2 usage, 3 infrastructure (crash, time-out), 4 gate missed, 130 Ctrl-C.',
].join('\n');

/** What specs replace. */
export interface RegressMainOptions {
  readonly registry?: Registry;
  readonly playerUrl?: string;
  readonly out?: DescriptorOutput;
  readonly err?: DescriptorOutput;
}

/** @returns the exit code */
export async function main(argv: readonly string[], options: RegressMainOptions = {}): Promise<number> {
  const out = options.out ?? new DescriptorOutput(STANDARD_OUTPUT, 0);
  const err = options.err ?? new DescriptorOutput(STANDARD_ERROR, 0);
  const [verb, ...rest] = argv;
  if (verb === 'coverage') return showCoverage(rest, out, err);
  const given = parseRegressCommand(argv);
  const command = { ...given, source: listPath(given.source) };
  if (command.action === 'help') {
    const program = regressProgram();
    const usage = `Usage: ${program} run <list.yaml | script.sh> [flags] [+NAME=value...]\n       ${program} coverage <out>... [flags]`;
    out.line(await helpText(usage, REGRESS_FLAGS, EPILOGUE));
    return EXIT.passed;
  }
  if (command.action === 'version' && command.problems.length === 0) {
    out.line(versionText());
    return EXIT.passed;
  }
  const source = await readSource(command, options, err);
  if (source === undefined) return EXIT.usage;
  if (command.dryRun) return showJobs(source, out, err);
  const folder = command.out ?? defaultFolder(command.source, new Date());
  const lock = takeFolder(folder, source, err);
  if (lock === undefined) return EXIT.usage;
  try {
    const earlier = setEarlierAside(folder);
    if (earlier !== undefined) err.line(`note: ${folder} held an earlier regression, which is now in ${earlier}`);
    return await regress(
      command,
      folder,
      source,
      [regressProgram(), ...withSeed(argv, command.seed)],
      options,
      out,
      err,
    );
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
  const source = command.source === '' ? undefined : await readJobs(asked, await registriesOf(options, err));
  const problems = [...own, ...(source?.problems ?? [])];
  for (const note of source?.notes ?? []) err.line(`note: ${note}`);
  for (const unknown of source?.unknown ?? []) err.line(`warning: ${unknown}`);
  if (source !== undefined && problems.length === 0) return source;
  err.line(problemReport(regressProgram(), problems));
  return undefined;
}

/** A dry run. @returns the exit code */
function showJobs({ jobs, wrongLines }: JobSource, out: DescriptorOutput, err: DescriptorOutput): number {
  for (const job of jobs) out.line(callLine(callOf(job, process.cwd()), shownArgv(job)));
  if (wrongLines.length === 0) return EXIT.passed;
  err.line(problemReport(regressProgram(), wrongLines));
  return EXIT.usage;
}

/** Makes the folders of a regression and takes hold of its own; undefined where that cannot be done, which is said. */
function takeFolder(folder: string, { folders }: JobSource, err: DescriptorOutput): FolderLock | undefined {
  const unmade = [...folders.flatMap((made) => makeNamedFolder('mkdir', made)), ...makeNamedFolder('--out', folder)];
  const lock = unmade.length > 0 ? undefined : lockFolder(folder);
  if (typeof lock === 'object') return lock;
  err.line(problemReport(regressProgram(), lock === undefined ? unmade : [lock]));
  return undefined;
}

async function registriesOf({ registry }: RegressMainOptions, err: DescriptorOutput): Promise<Registries> {
  return new Registries(registry ?? (await loadRegistry()), (line) => err.line(`rnic-verify: ${line}`));
}

async function regress(
  command: RegressCommand,
  folder: string,
  { jobs, notes, testFolders }: JobSource,
  argv: readonly string[],
  options: RegressMainOptions,
  out: DescriptorOutput,
  err: DescriptorOutput,
): Promise<number> {
  const coverage = new CoverageKeeper(join(folder, STORE_NAME));
  const onRetry = (job: Job, why: string): void => progress.retry(job, why);
  const onCoverage = (measured: MeasuredRun): void => coverage.add(measured);
  const launcher = launcherOf(command, folder, testFolders, options, { onRetry, onCoverage });
  const progress = new RegressProgress(jobs.length, command.quiet, launcher, out, err);
  // Runs that take long bring no news by themselves.
  const ticks = setInterval(() => progress.tick(), TICK_MS);
  const stop = new RegressStop(launcher);
  try {
    const { source, seed } = command;
    const stopCode = (): number | undefined => (stop.by === undefined ? undefined : exitCodeOfInterrupt(stop.by));
    const named = { source, seed, jobs, launcher, out: folder, command: commandLine(argv), stopCode };
    const played = await runRegression({ ...named, onResult: (result) => progress.result(result) });
    const lost = [...played.lost, ...coverage.close()];
    const { report } = played;
    progress.clear();
    printReport(report, notes, stop.lines(), lost, folder, coverage.total, out);
    for (const problem of lost) err.line(`${regressProgram()}: ${problem}`);
    const stopped = stopCode();
    if (stopped !== undefined) return stopped;
    return lost.length === 0 || report.exitCode === EXIT.failed ? report.exitCode : EXIT.infrastructure;
  } finally {
    clearInterval(ticks);
    stop.close();
  }
}

function launcherOf(
  command: RegressCommand,
  folder: string,
  testFolders: CompiledFolders,
  options: RegressMainOptions,
  listeners: Pick<PoolOptions, 'onRetry' | 'onCoverage'>,
): LocalLauncher {
  const fromSource = import.meta.url.endsWith('.ts');
  const sibling = (name: string): URL => new URL(`${name}${fromSource ? '.ts' : '.js'}`, import.meta.url);
  const { keep, timeoutSeconds, coverage } = command;
  const settings = { out: resolve(folder), keep, timeoutSeconds, coverage, testFolders };
  // Modules of such a folder import those of the build, not those of the bundle.
  const bundled = Object.keys(testFolders).length === 0 ? options.playerUrl : undefined;
  const versions = currentVersions(projectRoot());
  return new LocalLauncher({
    workers: command.jobs,
    workerFile: fileURLToPath(sibling('../regress/worker')),
    nodeArguments: fromSource ? ['--import', 'tsx'] : [],
    heapMb: command.heapMb,
    playerUrl: bundled ?? sibling('./player').href,
    settings,
    timeoutSeconds,
    graceSeconds: GRACE_SECONDS,
    attempts: 2,
    describe: describeJob,
    salvage: (job, end) => salvage(job, end, settings, versions),
    ...listeners,
  });
}

function defaultFolder(source: string, now: Date): string {
  const name = source.replace(/^.*\//, '').replace(/\.[^.]*$/, '');
  const stamp = now
    .toISOString()
    .replace(/\.\d+Z$/, '')
    .replace(/[-:]/g, '');
  return join('out', `regress-${name}-${stamp}-${process.pid}`);
}
