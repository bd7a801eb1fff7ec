/** `hca_regress exhaust`: a scenario with a fault in every place, and with two. */

import { join } from 'node:path';
import { lockFolder } from '../../regress/folderLock.ts';
import { PoolError } from '../../regress/pool/workerPool.ts';
import { counted } from '../../uvm/report/counted.ts';
import { regressProgram } from '../calledAs.ts';
import { parseExhaustCommand, type ExhaustCommand } from '../cli/commands/exhaustCommand.ts';
import { EXHAUST_FLAGS } from '../cli/exhaustFlags.ts';
import { commandUsage } from '../cli/commands/regressCommands.ts';
import { helpText } from '../cli/helpText.ts';
import { problemReport } from '../cli/problemReport.ts';
import type { WorkerPrograms } from '../many/localPool.ts';
import type { Outputs } from '../many/playRegression.ts';
import { folderProblems, makeNamedFolder } from '../run/outputPaths.ts';
import { exitCodeOfInterrupt } from '../run/limits/interrupts.ts';
import { EXIT } from '../run/runSpec.ts';
import type { Registries } from '../registries.ts';
import { currentVersions, projectRoot } from '../versions.ts';
import { testFoldersIn } from '../cli/testFolders.ts';
import { linkProblems, storedProblems } from '../many/storedRuns.ts';
import { lookForBugs } from './lookForBugs.ts';
import { type ExhaustPlan, readPlan, readUnits, writePlan } from './exhaustJournal.ts';
import { EXHAUST_FORMAT } from './exhaustSchema.ts';
import { failureLines, statement, tableLines } from './exhaustReport.ts';
import { ScenarioFindings } from './findings.ts';
import { mayPair, singles } from './placement.ts';
import { type PlacedFrames, PlacedScenario } from './placedRun.ts';
import { type PlannedScenario, playExhaust } from './playExhaust.ts';
import { type NamedScenario, readScenarios } from '../many/jobs/namedScenarios.ts';
import type { ExhaustUnit } from './unit.ts';

const EPILOGUE = [
  'Plays each scenario with a fault of each kind at every frame, and drop and duplicate also with a second one at every',
  'frame behind it. The shipped list exhaustive has small scenarios for it. See docs/faults.md.',
  'Exit codes: 0 all pass, 1 a placement fails, 2 usage, 3 something could not be judged, 130 Ctrl-C.',
].join('\n');

/** @param argv words behind `exhaust` @param open registries, loaded when they are needed @returns the exit code */
export async function exhaust(
  argv: readonly string[],
  open: () => Promise<Registries>,
  { out, err }: Outputs,
  programs: WorkerPrograms = {},
): Promise<number> {
  const command = parseExhaustCommand(argv);
  if (command.help) {
    out.line(await helpText(commandUsage('exhaust'), EXHAUST_FLAGS, EPILOGUE));
    return EXIT.passed;
  }
  const refuse = (problems: readonly string[]): number => {
    err.line(problemReport(regressProgram(), problems));
    return EXIT.usage;
  };
  const own = [...command.problems, ...(command.out === undefined ? [] : folderProblems(command.out))];
  if (own.length > 0) return refuse(own);
  const registries = await open();
  if (command.bugs !== undefined) return await lookForBugs(command, command.bugs, registries, out, refuse);
  const found = await planOf(command, registries, (line) => err.line(line));
  if ('problems' in found) return refuse(found.problems);
  const { plan } = found;
  const prepared = await prepare(plan, registries);
  if (prepared.problems.length > 0) return refuse(prepared.problems);
  const folder = command.resume ?? command.out ?? defaultFolder(command.source);
  const unmade = makeNamedFolder('--out', folder);
  const lock = unmade.length > 0 ? undefined : lockFolder(folder, command.resume === undefined ? '--out' : '--resume');
  if (typeof lock !== 'object') return refuse(lock === undefined ? unmade : [lock]);
  try {
    if (command.resume === undefined) writePlan(folder, plan);
    return await playAll(command, plan, prepared, folder, registries, { out, err }, programs);
  } catch (error) {
    if (!(error instanceof PoolError)) throw error;
    err.line(`${regressProgram()}: ${error.message}; what has been played is in ${folder}`);
    return EXIT.infrastructure;
  } finally {
    lock.release();
  }
}

type Planned = { readonly plan: ExhaustPlan } | { readonly problems: readonly string[] };

/** Of an earlier one that goes on, or of what is asked for now. */
async function planOf(command: ExhaustCommand, registries: Registries, say: (line: string) => void): Promise<Planned> {
  const { sources } = currentVersions(projectRoot());
  if (command.resume !== undefined) {
    const plan = readPlan(command.resume);
    if (typeof plan === 'string') return { problems: [plan] };
    const flag = `--resume ${command.resume}`;
    const links = linkProblems(flag, command.resume);
    const problems = [...links, ...storedProblems(flag, plan.scenarios, testFoldersIn(command.plusargs))];
    if (problems.length > 0) return { problems };
    if (plan.sources !== sources)
      say(`note: the sources have changed since ${command.resume} was begun; further runs are those of today`);
    return { plan };
  }
  const { scenarios, notes, problems } = await readScenarios(command, registries);
  for (const note of notes) say(`note: ${note}`);
  if (problems.length > 0) return { problems };
  const { faults, kinds, maxFrames, source } = command;
  return { plan: { format: EXHAUST_FORMAT, source, scenarios, faults, kinds, maxFrames, sources } };
}

/** Scenarios that can be played, and those that do not even pass without faults. */
interface Prepared {
  readonly planned: readonly PlannedScenario[];
  readonly broken: readonly { readonly scenario: NamedScenario; readonly run: PlacedFrames }[];
  readonly problems: readonly string[];
}

/** Plays every scenario once without faults: what its frames are decides what there is to play. */
async function prepare(plan: ExhaustPlan, registries: Registries): Promise<Prepared> {
  const result = {
    planned: [] as PlannedScenario[],
    broken: [] as Prepared['broken'][number][],
    problems: [] as string[],
  };
  for (const scenario of plan.scenarios) {
    const testPath = scenario.argv.find((word) => word.startsWith('+TEST_PATH='))?.slice('+TEST_PATH='.length);
    const { registry } = await registries.open(testPath, scenario.cwd);
    const run = new PlacedScenario(scenario.argv, scenario.cwd, registry).play([]);
    const frames = run.frames.length;
    if (run.outcome !== 'passed') result.broken.push({ scenario, run });
    else if (frames > plan.maxFrames) result.problems.push(tooManyFrames(scenario, frames, plan));
    else result.planned.push({ scenario, frames, units: unitsOf(scenario, run, plan) });
  }
  return result;
}

function unitsOf({ name }: NamedScenario, { frames }: PlacedFrames, plan: ExhaustPlan): Map<string, ExhaustUnit> {
  const secondKinds = plan.faults === 2 ? plan.kinds.filter(mayPair) : [];
  return new Map(
    singles(frames, plan.kinds).map((first) => [
      `${name}/${first.host}.${first.ordinal}.${first.kind.replaceAll(' ', '.')}`,
      { first, secondKinds },
    ]),
  );
}

function tooManyFrames({ name }: NamedScenario, frames: number, { maxFrames, kinds, faults }: ExhaustPlan): string {
  const pairs = faults === 1 ? 0 : (frames * kinds.filter(mayPair).length) ** 2 / 2;
  const runs = Math.round(frames * kinds.length + pairs);
  const advice = `play fewer or shorter messages, --faults 1, or say --max-frames ${frames}`;
  return `${name}: has ${frames} frames, of which ${maxFrames} are permitted, and would take about ${runs} runs; ${advice}`;
}

async function playAll(
  command: ExhaustCommand,
  plan: ExhaustPlan,
  { planned, broken }: Prepared,
  folder: string,
  registries: Registries,
  { out, err }: Outputs,
  programs: WorkerPrograms,
): Promise<number> {
  const found = new Map(planned.map(({ scenario: { name }, frames }) => [name, new ScenarioFindings(name, frames)]));
  const earlier = command.resume === undefined ? [] : readUnits(folder);
  if (typeof earlier === 'string') {
    err.line(problemReport(regressProgram(), [earlier]));
    return EXIT.usage;
  }
  for (const { scenario, findings, wallMs } of earlier) found.get(scenario)?.add(findings, wallMs);
  const done = new Set(earlier.map(({ unit }) => unit));
  if (!command.quiet)
    out.line(`${counted(planned.length, 'scenario')} on ${counted(command.jobs, 'worker')}, results in ${folder}`);
  out.flush();
  const settings = { folder, jobs: command.jobs, testFolders: registries.compiled, done, programs };
  const { lost, stoppedBy } = await playExhaust(planned, found, settings);
  const all = [...found.values()];
  if (!command.quiet) for (const line of tableLines(all)) out.line(line);
  for (const { scenario, run } of broken) out.line(`${scenario.name}: fails without any fault: ${run.message}`);
  for (const { scenario } of planned)
    for (const line of failureLines(folder, scenario, found.get(scenario.name) as ScenarioFindings)) out.line(line);
  for (const line of lost) err.line(`not played: ${line}`);
  if (stoppedBy !== undefined) {
    out.line(`stopped by ${stoppedBy}; go on: ${regressProgram()} exhaust --resume ${folder}`);
    return exitCodeOfInterrupt(stoppedBy);
  }
  out.line(statement(all, plan.faults));
  return exitCodeOf(all, broken, lost);
}

function exitCodeOf(all: readonly ScenarioFindings[], broken: Prepared['broken'], lost: readonly string[]): number {
  const runs = [...all.flatMap(({ failures }) => failures), ...broken.map(({ run }) => run)];
  if (runs.some(({ outcome }) => outcome === 'failed')) return EXIT.failed;
  return runs.length + lost.length > 0 ? EXIT.infrastructure : EXIT.passed;
}

function defaultFolder(source: string): string {
  const name = source.replace(/^.*\//, '').replace(/\.[^.]*$/, '');
  const stamp = new Date()
    .toISOString()
    .replace(/\.\d+Z$/, '')
    .replace(/[-:]/g, '');
  return join('out', `exhaust-${name}-${stamp}-${process.pid}`);
}
