/** What is said of an exhaustive play when it has ended. */

import { counted } from '../../uvm/report/counted.ts';
import { formatDuration } from '../../regress/report/formatDuration.ts';
import { type WrittenPlacement, writeFaultFile } from './faultFiles.ts';
import type { ScenarioFindings } from './findings.ts';
import { placementText } from './placement.ts';
import type { PlacedRun } from './placedRun.ts';
import type { NamedScenario } from '../many/jobs/namedScenarios.ts';

/** Files that are written for one finding of a scenario. */
const FILES_PER_FINDING = 3;

/** A row for each scenario: frames without faults, placements, different transcripts, failures, time on all workers. */
export function tableLines(all: readonly ScenarioFindings[]): string[] {
  const width = Math.max(8, ...all.map(({ name }) => name.length));
  const head = `${'scenario'.padEnd(width)}  frames  placements  transcripts  failing  time`;
  const rows = all.map(({ name, frames, placements, distinct, failures, wallMs }) =>
    [
      name.padEnd(width),
      String(frames).padStart(7),
      String(placements).padStart(12),
      String(distinct).padStart(13),
      String(failures.length).padStart(9),
      `  ${formatDuration(wallMs)}`,
    ].join(''),
  );
  return [head, ...rows];
}

/** One sentence: how much was played, and whether all of it passes. */
export function statement(all: readonly ScenarioFindings[], faults: 1 | 2): string {
  const sum = (of: (each: ScenarioFindings) => number): number => all.reduce((total, each) => total + of(each), 0);
  const what = `${counted(
    sum((s) => s.placements),
    'placement',
  )} of ${faults === 1 ? 'one fault' : 'up to two faults'}`;
  const where = `in ${counted(all.length, 'scenario')}, ${counted(
    sum((s) => s.distinct),
    'different transcript',
  )}`;
  const failing = sum((s) => s.failures.length);
  return `${what} ${where}: ${failing === 0 ? 'all pass' : `${failing} fail`}`;
}

/** The smallest placements that fail, each with its file and the line that plays it. */
export function failureLines(folder: string, scenario: NamedScenario, found: ScenarioFindings): string[] {
  let written = 0;
  return [...found.smallest()].flatMap(([label, runs]) => {
    const lines = runs.slice(0, FILES_PER_FINDING).flatMap((run) => {
      written++;
      return oneFailure(run, label, writeFaultFile(folder, scenario, run, written));
    });
    const more = runs.length - FILES_PER_FINDING;
    return more > 0 ? [...lines, `  and ${counted(more, 'further placement')} of ${found.name} with ${label}`] : lines;
  });
}

function oneFailure(
  { placement, outcome, message }: PlacedRun,
  label: string,
  { path, replay }: WrittenPlacement,
): string[] {
  const what = outcome === 'unjudged' ? 'cannot be judged' : 'fails';
  return [`${placementText(placement)}: ${what} with [${label}] ${message}`, `  ${path}`, `  ${replay}`];
}
