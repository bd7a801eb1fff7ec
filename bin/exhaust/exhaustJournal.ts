/**
 * What an exhaustive play leaves in its folder while it goes on, so that it can go on after whatever has ended it:
 * `plan.json`, what was asked for, and `units.jsonl`, what came of each unit.
 */

import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeJson } from '../../regress/atomicFile.ts';
import type { FaultKind } from './placement.ts';
import type { NamedScenario } from './scenarios.ts';
import type { UnitFindings } from './unit.ts';

/** What was asked for. */
export interface ExhaustPlan {
  readonly format: typeof FORMAT;
  readonly source: string;
  readonly scenarios: readonly NamedScenario[];
  readonly faults: 1 | 2;
  readonly kinds: readonly FaultKind[];
  readonly maxFrames: number;
  /** Of the harness. */
  readonly sources: string;
}

/** What came of a unit. */
export interface JournalledUnit {
  readonly unit: string;
  readonly scenario: string;
  readonly findings: UnitFindings;
  readonly wallMs: number;
}

export const FORMAT = 'rnic-verify exhaust 1';
const PLAN = 'plan.json';
const UNITS = 'units.jsonl';

/** Begins the journal of a folder. */
export function writePlan(folder: string, plan: ExhaustPlan): void {
  writeJson(join(folder, PLAN), plan);
}

/** @returns what was begun there, or why nothing can go on: a message for the user */
export function readPlan(folder: string): ExhaustPlan | string {
  const path = join(folder, PLAN);
  const hint = 'name the folder of an exhaustive play, which --out has named or its first lines did';
  if (!existsSync(path)) return `--resume ${folder}: holds no ${PLAN}; ${hint}`;
  try {
    const plan = JSON.parse(readFileSync(path, 'utf8')) as Omit<ExhaustPlan, 'format'> & { readonly format: string };
    return plan.format === FORMAT
      ? { ...plan, format: FORMAT }
      : `--resume ${folder}: ${PLAN} is of another kind or version; ${hint}`;
  } catch (error) {
    return `--resume ${folder}: ${PLAN} cannot be read: ${(error as Error).message}; ${hint}`;
  }
}

/** Units that have been played; a line that was cut off is none. */
export function readUnits(folder: string): JournalledUnit[] {
  const path = join(folder, UNITS);
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        return [JSON.parse(line) as JournalledUnit];
      } catch {
        return [];
      }
    });
}

/** Adds a unit; in a line of its own also where the one before was cut off. */
export function appendUnit(folder: string, unit: JournalledUnit): void {
  appendFileSync(join(folder, UNITS), `\n${JSON.stringify(unit)}`);
}
