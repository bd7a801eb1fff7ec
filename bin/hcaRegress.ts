/**
 * `hca_regress`: runs many tests on several processes.
 *
 *   list or script -> jobs -> workers (regress/pool), which play them with bin/player -> journal, table, reports
 */

import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lockFolder } from '../regress/folderLock.ts';
import { isPass, type Job, type JobResult } from '../regress/job.ts';
import { setEarlierAside } from '../regress/setEarlierAside.ts';
import { LocalLauncher } from '../regress/pool/localLauncher.ts';
import { PoolError } from '../regress/pool/workerPool.ts';
import { type RegressionReport, runRegression } from '../regress/regression.ts';
import { failureGroupLines } from '../regress/report/failureGroups.ts';
import { failureList } from '../regress/report/failureList.ts';
import { formatDuration } from '../regress/report/formatDuration.ts';
import { retriedLines } from '../regress/report/retriedLines.ts';
import { switchedOffLines } from '../regress/report/switchedOffLines.ts';
import { unusedLines } from '../regress/report/unusedLines.ts';
import { summaryTable } from '../regress/report/summaryTable.ts';
import { commandLine } from '../regress/shellQuote.ts';
import type { Launcher } from '../regress/launcher.ts';
import { callOf, regressProgram } from './calledAs.ts';
import { helpText } from './cli/helpText.ts';
import { problemReport } from './cli/problemReport.ts';
import { ProgressLine } from './cli/progressLine.ts';
import { parseRegressCommand, type RegressCommand } from './cli/regressCommand.ts';
import { regressProgressText } from './cli/regressProgressText.ts';
import { REGRESS_FLAGS } from './cli/regressFlags.ts';
import { DescriptorOutput } from './cli/syncOutput.ts';
import { describeJob, type JobSource, readJobs, shownArgv } from './jobSource.ts';
import { folderProblems, makeNamedFolder } from './outputPaths.ts';
import { type CompiledFolders, Registries } from './registries.ts';
import { loadRegistry, type Registry } from './registry.ts';
import { EXIT } from './runSpec.ts';
import { exitCodeOfInterrupt } from './interrupts.ts';
import { RegressStop } from './regressStop.ts';
import { callLine } from './replayLine.ts';
import { salvage } from './salvage.ts';
import { listPath } from './shippedLists.ts';
import { currentVersions, projectRoot, versionText } from './versions.ts';

const STANDARD_OUTPUT = 1;
const STANDARD_ERROR = 2;
/** Seconds that a run has beyond its wall-clock limit to end by itself, before its process is killed. */
const GRACE_SECONDS = 3;
/** Between two looks at runs that take long (ms). */
const TICK_MS = 1000;
/** Notes about a script that the summary repeats. */
const MAX_NOTES = 10;
const EPILOGUE = [
  'Plusargs are given to every run in place of its own of the same name.',
  'A list is YAML (docs/running.md); a script holds lines of the form "./hca_test ... -l log", also behind bsub.',
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
  const given = parseRegressCommand(argv);
  const command = { ...given, source: listPath(given.source) };
  if (command.action === 'help') {
    out.line(
      await helpText(
        `Usage: ${regressProgram()} run <list.yaml | script.sh> [flags] [+NAME=value...]`,
        REGRESS_FLAGS,
        EPILOGUE,
      ),
    );
    return EXIT.passed;
  }
  if (command.action === 'version' && command.problems.length === 0) {
    out.line(versionText());
    return EXIT.passed;
  }
  const source = command.source === '' ? undefined : await readJobs(command, await registriesOf(options, err));
  const problems = [...command.problems, ...(source?.problems ?? [])];
  if (command.out !== undefined) problems.push(...folderProblems(command.out));
  for (const note of source?.notes ?? []) err.line(`note: ${note}`);
  for (const unknown of source?.unknown ?? []) err.line(`warning: ${unknown}`);
  if (source === undefined || problems.length > 0) {
    err.line(problemReport(regressProgram(), problems));
    return EXIT.usage;
  }
  if (command.dryRun) {
    for (const job of source.jobs) out.line(callLine(callOf(job, process.cwd()), shownArgv(job)));
    if (source.wrongLines.length === 0) return EXIT.passed;
    err.line(problemReport(regressProgram(), source.wrongLines));
    return EXIT.usage;
  }
  const folder = command.out ?? defaultFolder(command.source, new Date());
  const unmade = [
    ...source.folders.flatMap((made) => makeNamedFolder('mkdir', made)),
    ...makeNamedFolder('--out', folder),
  ];
  if (unmade.length > 0) {
    err.line(problemReport(regressProgram(), unmade));
    return EXIT.usage;
  }
  const lock = lockFolder(folder);
  if (typeof lock === 'string') {
    err.line(problemReport(regressProgram(), [lock]));
    return EXIT.usage;
  }
  try {
    const earlier = setEarlierAside(folder);
    if (earlier !== undefined) err.line(`note: ${folder} held an earlier regression, which is now in ${earlier}`);
    return await regress(command, folder, source, [regressProgram(), ...argv], options, out, err);
  } finally {
    lock.release();
  }
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
  const launcher = launcherOf(command, folder, testFolders, options, (job, why) => progress.retry(job, why));
  const progress = new Progress(jobs.length, command.quiet, launcher, out, err);
  // Runs that take long bring no news by themselves.
  const ticks = setInterval(() => progress.tick(), TICK_MS);
  const stop = new RegressStop(launcher);
  try {
    const { source, seed } = command;
    const stopCode = (): number | undefined => (stop.by === undefined ? undefined : exitCodeOfInterrupt(stop.by));
    const named = { source, seed, jobs, launcher, out: folder, command: commandLine(argv), stopCode };
    const { report, lost } = await runRegression({ ...named, onResult: (result) => progress.result(result) });
    progress.clear();
    printReport(report, notes, stop.lines(), lost, folder, out);
    for (const problem of lost) err.line(`${regressProgram()}: ${problem}`);
    const stopped = stopCode();
    if (stopped !== undefined) return stopped;
    return lost.length === 0 || report.exitCode === EXIT.failed ? report.exitCode : EXIT.infrastructure;
  } catch (error) {
    if (!(error instanceof PoolError)) throw error;
    progress.clear();
    err.line(`${regressProgram()}: ${error.message}`);
    return EXIT.infrastructure;
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
  onRetry: (job: Job, why: string) => void,
): LocalLauncher {
  const fromSource = import.meta.url.endsWith('.ts');
  const sibling = (name: string): URL => new URL(`${name}${fromSource ? '.ts' : '.js'}`, import.meta.url);
  const { keep, timeoutSeconds } = command;
  const settings = { out: resolve(folder), keep, timeoutSeconds, testFolders };
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
    onRetry,
  });
}

function printReport(
  report: RegressionReport,
  notes: readonly string[],
  stopped: readonly string[],
  lost: readonly string[],
  folder: string,
  out: DescriptorOutput,
): void {
  const { total } = report.summary;
  for (const line of failureList(report.results)) out.line(line);
  for (const line of failureGroupLines(report.failures)) out.line(line);
  out.line(summaryTable(report.summary));
  for (const lines of [unusedLines, switchedOffLines, retriedLines]) {
    for (const line of lines(report.results)) out.line(line);
  }
  for (const line of noteLines(notes)) out.line(line);
  for (const line of stopped) out.line(line);
  if (report.interrupted) out.line(`stopped: ${report.summary.notRun} runs have no result`);
  out.line(
    `reports ${join(folder, 'report.json')}, junit.xml, runs.jsonl; ${formatDuration(report.wallMs)}, seed ${report.seed}`,
  );
  const { green, red } = out.colours;
  const verdict = verdictOf(report, lost);
  const colour = verdict === 'PASSED' ? green : red;
  out.line(`${colour(`REGRESSION ${verdict}`)} ${total.counts.passed} of ${total.planned} passed`);
}

/** A regression of which nothing has failed so far is no failure when it is interrupted, and no success. */
function verdictOf({ exitCode, interrupted, results }: RegressionReport, lost: readonly string[]): string {
  if (exitCode === EXIT.passed && lost.length === 0) return 'PASSED';
  return interrupted && results.every(isPass) ? 'STOPPED' : 'FAILED';
}

/** Notes about a script once more: what was said before the first run has long scrolled away. */
function noteLines(notes: readonly string[]): string[] {
  const more = notes.length - MAX_NOTES;
  const lines = notes.slice(0, MAX_NOTES).map((note) => `note: ${note}`);
  return more > 0 ? [...lines, `note: ${more} further notes are at the beginning of the output`] : lines;
}

/** One line in place on a terminal; failures as they happen, on any output. */
class Progress {
  readonly #line = new ProgressLine({ quietMs: 500 });
  readonly #total: number;
  readonly #quiet: boolean;
  readonly #launcher: Launcher;
  readonly #out: DescriptorOutput;
  readonly #err: DescriptorOutput;
  readonly #unused = new Set<string>();
  readonly #start = performance.now();
  readonly #passed = new Set<string>();
  readonly #failed = new Set<string>();

  constructor(total: number, quiet: boolean, launcher: Launcher, out: DescriptorOutput, err: DescriptorOutput) {
    this.#total = total;
    this.#quiet = quiet;
    this.#launcher = launcher;
    this.#out = out;
    this.#err = err;
  }

  result(result: JobResult): void {
    for (const text of result.unused) this.#warn(text, result.id);
    if (result.status === 'passed') this.#passed.add(result.id);
    else {
      this.#passed.delete(result.id);
      this.#failed.add(result.id);
      this.clear();
      if (!this.#quiet) this.#out.line(`${result.status.toUpperCase()} ${result.id}: ${result.message}`);
    }
    this.tick();
  }

  tick(): void {
    this.#line.update(() => this.#text());
  }

  clear(): void {
    this.#line.clear();
  }

  /** A process died that was playing this run; what comes of the next attempt is another message. */
  retry(job: Job, why: string): void {
    if (this.#quiet) return;
    this.clear();
    this.#out.line(`CRASHED, tried again: ${job.id}: ${why.split('\n')[0]}`);
  }

  /** Once per argument, at once: a night of runs may depend on a letter. */
  #warn(text: string, id: string): void {
    if (this.#unused.has(text)) return;
    this.#unused.add(text);
    this.clear();
    this.#err.line(`warning: ${text} (in ${id})`);
  }

  #text(): string {
    const elapsedMs = performance.now() - this.#start;
    const counts = { passed: this.#passed.size, failed: this.#failed.size, total: this.#total };
    return regressProgressText({ ...counts, elapsedMs, playing: this.#launcher.playing() });
  }
}

function defaultFolder(source: string, now: Date): string {
  const name = source.replace(/^.*\//, '').replace(/\.[^.]*$/, '');
  const stamp = now
    .toISOString()
    .replace(/\.\d+Z$/, '')
    .replace(/[-:]/g, '');
  return join('out', `regress-${name}-${stamp}-${process.pid}`);
}
