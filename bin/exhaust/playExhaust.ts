/** Plays the units of an exhaustive play on workers of this machine, and keeps what they find. */

import type { Job, JobResult } from '../../regress/job.ts';
import { LocalLauncher } from '../../regress/pool/localLauncher.ts';
import { ProgressLine } from '../cli/progressLine.ts';
import { type WorkerPrograms, workerStart } from '../many/localPool.ts';
import { RegressStop } from '../many/regressStop.ts';
import type { CompiledFolders } from '../registries.ts';
import type { Interrupt } from '../run/limits/interrupts.ts';
import { appendUnit } from './exhaustJournal.ts';
import type { ScenarioFindings } from './findings.ts';
import type { NamedScenario } from '../many/jobs/namedScenarios.ts';
import { type ExhaustUnit, type UnitFindings, unitWords } from './unit.ts';

/** A scenario with what is to be played of it. */
export interface PlannedScenario {
  readonly scenario: NamedScenario;
  /** Frames of its run without faults. */
  readonly frames: number;
  /** By their names, which are stable. */
  readonly units: ReadonlyMap<string, ExhaustUnit>;
}

/** How units are played. */
export interface ExhaustSettings {
  readonly folder: string;
  readonly jobs: number;
  readonly testFolders: CompiledFolders;
  /** Names of units that are there already. */
  readonly done: ReadonlySet<string>;
  /** What the processes of workers load; default: what the build has. */
  readonly programs: WorkerPrograms;
}

/** What came of it. */
export interface ExhaustOutcome {
  /** Units that nobody could play, each with the reason. */
  readonly lost: readonly string[];
  readonly stoppedBy: Interrupt | undefined;
}

/** A unit has at most some hundred runs of some milliseconds (s). */
const UNIT_SECONDS = 1800;
const HEAP_MB = 2048;

/** @param found by name of the scenario, which takes what is found */
export async function playExhaust(
  planned: readonly PlannedScenario[],
  found: ReadonlyMap<string, ScenarioFindings>,
  { folder, jobs, testFolders, done, programs }: ExhaustSettings,
): Promise<ExhaustOutcome> {
  const work = planned.flatMap(jobsOf).filter(({ id }) => !done.has(id));
  const lost: string[] = [];
  const findings = new Map<string, UnitFindings>();
  const launcher = launcherOf(jobs, testFolders, programs, (job, finding) =>
    findings.set(job.id, finding as UnitFindings),
  );
  const stop = new RegressStop(launcher);
  const progress = new ProgressLine();
  let ended = 0;
  try {
    await launcher.run(work, (result) => {
      ended++;
      const finding = findings.get(result.id);
      if (finding === undefined) lost.push(`${result.id}: ${result.message}`);
      else keep(folder, result, finding, found);
      progress.update(() => progressText(ended, work.length, [...found.values()]));
    });
  } finally {
    stop.close();
    progress.clear();
  }
  return { lost, stoppedBy: stop.by };
}

function keep(
  folder: string,
  { id, family, wallMs }: JobResult,
  findings: UnitFindings,
  found: ReadonlyMap<string, ScenarioFindings>,
): void {
  appendUnit(folder, { unit: id, scenario: family, findings, wallMs });
  found.get(family)?.add(findings, wallMs);
}

function jobsOf({ scenario: { name, argv, cwd }, units }: PlannedScenario): Job[] {
  return [...units].map(([id, unit]) => ({
    id,
    family: name,
    title: id,
    argv: [unitWords(unit), ...argv],
    cwd,
    where: name,
    timeoutSeconds: UNIT_SECONDS,
  }));
}

function progressText(ended: number, total: number, found: readonly ScenarioFindings[]): string {
  const [placements, failing] = found.reduce(([p, f], each) => [p + each.placements, f + each.failures.length], [0, 0]);
  return `${placements} placements, ${failing} failing (${Math.floor((100 * ended) / total)} %)`;
}

function launcherOf(
  workers: number,
  testFolders: CompiledFolders,
  programs: WorkerPrograms,
  onFinding: (job: Job, finding: unknown) => void,
): LocalLauncher {
  return new LocalLauncher({
    ...workerStart(programs, 'bin/exhaust/placementPlayer', programs.playerUrl),
    workers,
    heapMb: HEAP_MB,
    settings: { out: '.', keep: 'none', testFolders },
    timeoutSeconds: UNIT_SECONDS,
    attempts: 2,
    describe: ({ family }) => ({ test: family, seed: 0, replay: '' }),
    onFinding,
  });
}
