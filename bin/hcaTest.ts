/**
 * `hca_test`: runs one test.
 *
 *   command line -> splitArgv -> flags and plusargs -> checkSpec -> openRun -> record, log, verdict, exit code
 *
 * The launcher in the project's root calls `main` after it has made sure that the build is current.
 */

import { formatDuration } from '../regress/report/formatDuration.ts';
import type { RunRecord } from '../regress/runRecord.ts';
import { RunRecordError } from '../regress/runRecordError.ts';
import { formatTime } from '../uvm/kernel/time.ts';
import { testProgram } from './calledAs.ts';
import { helpText } from './cli/helpText.ts';
import { problemReport } from './cli/problemReport.ts';
import { ProgressLine } from './cli/progressLine.ts';
import { listFaults, listKnobs, listTypes, plusargHelp } from './cli/showTables.ts';
import { DescriptorOutput } from './cli/syncOutput.ts';
import { parseTestCommand, type TestCommand } from './cli/testCommand.ts';
import { TEST_FLAGS } from './cli/testFlags.ts';
import { closingLines } from './closingLine.ts';
import { type ChangedSources, compareReplay } from './compareReplay.ts';
import { withLastWords } from './earlyExit.ts';
import { type FaultEffect, faultEffect } from './faultEffect.ts';
import { makeOutputFolders } from './outputPaths.ts';
import { misplacedFiles } from './misplacedFiles.ts';
import { type PlayOne, playCommand, problemsOf, problemsWith } from './playCommand.ts';
import { type OpenRegistry, Registries } from './registries.ts';
import { exitCodeOfInterrupt, Interrupts } from './interrupts.ts';
import { type LoadedCommand, loadCommand } from './loadedCommand.ts';
import { loadRegistry, type Registry } from './registry.ts';
import { replayLine } from './replayLine.ts';
import { createRunFolder } from './runFolder.ts';
import { openRun } from './runOne.ts';
import { EXIT, type RunProgress } from './runSpec.ts';
import { changedSources, currentVersions, projectRoot, versionText } from './versions.ts';

const STANDARD_OUTPUT = 1;
const STANDARD_ERROR = 2;
/** Wall-clock time from which on a run is told how to be repeated before it ends (ms). */
const NOTICE_MS = 2000;

/** What specs and the launcher replace. */
export interface TestMainOptions {
  readonly registry?: Registry;
  /** The same program outside of its bundle, for runs with a folder of tests; default: this is it. */
  readonly unbundled?: () => Promise<typeof main>;
  readonly play?: PlayOne;
  readonly out?: DescriptorOutput;
  readonly err?: DescriptorOutput;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/**
 * Runs one command line.
 * @param argv words after the program's name
 * @returns the exit code
 */
export async function main(argv: readonly string[], options: TestMainOptions = {}): Promise<number> {
  const out = options.out ?? new DescriptorOutput(STANDARD_OUTPUT);
  const err = options.err ?? new DescriptorOutput(STANDARD_ERROR, 0);
  const typed = parseTestCommand(argv, options.env ?? process.env);
  try {
    if (typed.action === 'help')
      out.line(await helpText(`Usage: ${testProgram()} [flags] [plusargs]`, TEST_FLAGS, plusargHelp()));
    else if (typed.action === 'version') out.line(versionText());
    else return await withRegistry(typed, argv, options, out, err);
    return EXIT.passed;
  } finally {
    out.flush();
  }
}

async function withRegistry(
  typed: TestCommand,
  argv: readonly string[],
  options: TestMainOptions,
  out: DescriptorOutput,
  err: DescriptorOutput,
): Promise<number> {
  if (typed.action !== 'run' && typed.problems.length > 0) {
    err.line(problemReport(testProgram(), typed.problems));
    return EXIT.usage;
  }
  const found = await resolveReplay(typed);
  const testPath = typeof found === 'string' ? typed.testPath : found.command.testPath;
  if (testPath !== undefined && options.unbundled !== undefined) return (await options.unbundled())(argv);
  const registries = new Registries(options.registry ?? (await loadRegistry()), (line) =>
    err.line(`rnic-verify: ${line}`),
  );
  const open = await registries.open(testPath, process.cwd());
  const { registry, sha256 } = open;
  if (typed.action !== 'run') {
    if (open.problems.length > 0) err.line(problemReport(testProgram(), open.problems));
    else out.line(listing(typed, registry));
    return open.problems.length > 0 ? EXIT.usage : EXIT.passed;
  }
  const problems = problemsBefore(typed, found, open);
  if (typeof found === 'string' || problems.length > 0) {
    err.line(problemReport(testProgram(), problems));
    return EXIT.usage;
  }
  const lost: string[] = [];
  const conclude = (record: RunRecord): number => {
    const code = finish(record, found.recorded, found.command, out);
    out.flush();
    for (const problem of lost) err.line(`${testProgram()}: ${problem}`);
    return lost.length === 0 || code === EXIT.failed ? code : EXIT.infrastructure;
  };
  const atExit = (record: RunRecord): void => void conclude(record);
  const onLost = (problem: string): void => void lost.push(problem);
  const interrupts = new Interrupts();
  try {
    const context = { argv, registry, testSha256: sha256, out, play: options.play, atExit, onLost, interrupts };
    const record = await play(found.command, context);
    const again = (): Promise<FaultEffect | undefined> =>
      faultEffect(found.command, record, registry, options.play ?? openRun, interrupts);
    const effect = await withLastWords((why) => {
      out.line(`the run without its planted bug, played for comparison: ${why}`);
      atExit(record);
    }, again);
    if (effect !== undefined) out.line(effect.text);
    const code = conclude(record);
    return effect?.interruptedBy === undefined ? code : exitCodeOfInterrupt(effect.interruptedBy);
  } finally {
    await interrupts.close();
  }
}

/** Everything that keeps the run from being started; makes the folders of its outputs when nothing does. */
function problemsBefore(typed: TestCommand, found: ToPlay | string, open: OpenRegistry): string[] {
  if (typeof found === 'string') return [...typed.problems, found];
  const problems = problemsWith(open, found.command, (registry) => problemsOf(found.command, registry));
  return problems.length > 0 ? problems : makeOutputFolders(found.command, process.cwd(), true);
}

interface ToPlay {
  readonly command: LoadedCommand;
  /** The record that is replayed. */
  readonly recorded: RunRecord | undefined;
}

/** A string is the reason why the record cannot be replayed. */
async function resolveReplay(typed: TestCommand): Promise<ToPlay | string> {
  if (typed.replay === undefined) return { command: loadCommand(typed), recorded: undefined };
  // Loaded only here: the validator of records takes longer to load than a short run takes.
  const { replayCommand } = await import('./replay.ts');
  try {
    const { command, record } = replayCommand(typed.replay, typed);
    return { command, recorded: record };
  } catch (error) {
    if (error instanceof RunRecordError) return error.message;
    throw error;
  }
}

interface PlayContext {
  readonly argv: readonly string[];
  readonly registry: Registry;
  readonly testSha256: string;
  readonly out: DescriptorOutput;
  readonly play: PlayOne | undefined;
  /** Says how the run went when the process ends in the middle of it. */
  readonly atExit: (record: RunRecord) => void;
  readonly onLost: (problem: string) => void;
  readonly interrupts: Interrupts;
}

async function play(command: LoadedCommand, context: PlayContext): Promise<RunRecord> {
  const { out, registry, testSha256, argv } = context;
  const { id, folder } = createRunFolder(command.out, command.testName, command.seed, new Date());
  const progress = new ProgressLine();
  const echo = (text: string): void => {
    progress.clear();
    out.line(text);
  };
  const started = performance.now();
  const notice = new LongRunNotice(
    () => `running: record ${folder}/run.json; replay: ${replayLine(command, { program: testProgram() })}`,
  );
  const record = await playCommand(command, {
    registry,
    testSha256,
    argv,
    versions: currentVersions(projectRoot()),
    call: { program: testProgram() },
    id,
    folder,
    keep: 'all',
    recordAtOnce: true,
    interrupts: context.interrupts,
    onLost: context.onLost,
    flush: () => {
      if (!command.quiet) notice.update(performance.now() - started, echo);
      out.flush();
    },
    ...(command.quiet ? {} : { echo }),
    progress: (now) => progress.update(() => progressText(now, performance.now() - started)),
    onExit: (ended) => {
      progress.clear();
      context.atExit(ended);
    },
    ...(context.play === undefined ? {} : { play: context.play }),
  });
  progress.clear();
  return record;
}

/** Says once, when a run takes longer, what repeats it: a process that is killed has no last words. */
class LongRunNotice {
  readonly #text: () => string;
  #said = false;

  constructor(text: () => string) {
    this.#text = text;
  }

  update(wallMs: number, say: (text: string) => void): void {
    if (this.#said || wallMs < NOTICE_MS) return;
    this.#said = true;
    say(this.#text());
  }
}

function progressText(now: RunProgress, wallMs: number): string {
  const stage = now.stage === undefined || now.stage === '' ? '' : `${now.stage}, `;
  const time = `${stage}${formatTime(now.simulatedTimePs)} simulated, ${formatDuration(wallMs)}`;
  if (now.total === 0) return time;
  const percent = Math.floor((100 * now.done) / now.total);
  const rate = Math.round(now.done / (wallMs / 1000));
  return `${now.done} of ${now.total} requests (${percent} %), ${rate} requests/s, ${time}`;
}

/** Closing lines and exit code. The last line of a failing run is the one that repeats it. */
function finish(
  record: RunRecord,
  recorded: RunRecord | undefined,
  command: TestCommand,
  out: DescriptorOutput,
): number {
  const changed: ChangedSources = (before, after) => changedSources(projectRoot(), before, after);
  const comparison = recorded === undefined ? undefined : compareReplay(recorded, record, changed);
  for (const line of comparison?.lines ?? []) out.line(line);
  out.line(`record ${command.out}/${record.id}/run.json, log ${record.files['log'] ?? 'none'}`);
  const [verdict, ...rest] = closingLines(record);
  const colour = record.verdict === 'passed' ? out.colours.green : out.colours.red;
  for (const line of [colour(verdict as string), ...rest]) out.line(line);
  return comparison?.equal === false ? EXIT.infrastructure : record.exitCode;
}

/** Files of a folder in which one might look in vain for what is listed. */
function skipped(folder: string): string[] {
  return misplacedFiles(projectRoot()).filter((text) => text.startsWith(folder));
}

function listing({ action, plusargs }: TestCommand, registry: Registry): string {
  const conflict = (name: string): string => registry.factory.conflict(name);
  if (action === 'list-tests') return [listTypes(registry.tests, conflict), ...skipped('tests/')].join('\n');
  if (action === 'list-sequences')
    return [listTypes(registry.sequences, conflict), ...skipped('sequences/')].join('\n');
  const dut = plusargs.map(({ text }) => /^\+DUT=(.*)$/.exec(text)?.[1]).find((name) => name !== undefined);
  const named = registry.nics.filter(({ name }) => name === dut);
  const nics = named.length > 0 ? named : registry.nics;
  return action === 'list-knobs' ? listKnobs(nics) : listFaults(nics);
}
