/** The piece of an exhaustive play that one worker takes: a first fault, with all that a second one may be behind it. */

import { jsonOf } from '../../files/json.ts';
import { exhaustUnitSchema } from './exhaustSchema.ts';
import type { FaultKind, FaultSpot } from './placement.ts';
import { seconds } from './placement.ts';
import type { PlacedRun, PlacedScenario } from './placedRun.ts';

/** What is to be played. Plain data, which crosses processes in the arguments of a job. */
export interface ExhaustUnit {
  readonly first: FaultSpot;
  /** Kinds that a second fault may have; empty = there is none. */
  readonly secondKinds: readonly FaultKind[];
}

/** What came of a unit. Plain data: it crosses processes and is journalled. */
export interface UnitFindings {
  /** Runs with a fault in each of their places. */
  readonly placements: number;
  /** Of their transcripts, each once. */
  readonly hashes: readonly string[];
  /** Runs that did not pass. */
  readonly failures: readonly PlacedRun[];
}

/** Nothing behind a first fault that fails by itself is the smallest. */
export function playUnit({ first, secondKinds }: ExhaustUnit, scenario: PlacedScenario): UnitFindings {
  const { frames, ...alone } = scenario.play([first]);
  const runs: PlacedRun[] = [alone];
  const behind = alone.outcome === 'passed' ? seconds(first, frames, secondKinds) : [];
  for (const second of behind) {
    const { frames: _unused, ...run } = scenario.play([first, second]);
    runs.push(run);
  }
  const placed = runs.filter(({ outcome }) => outcome !== 'empty');
  return {
    placements: placed.length,
    hashes: [...new Set(placed.map(({ hash }) => hash))],
    failures: placed.filter(({ outcome }) => outcome !== 'passed'),
  };
}

/** A unit as arguments of a job, in front of those of the scenario. */
export function unitWords(unit: ExhaustUnit): string {
  return JSON.stringify(unit);
}

/** Reads what `unitWords` has written. */
export function parseUnit(text: string): ExhaustUnit {
  return jsonOf(text, exhaustUnitSchema);
}
