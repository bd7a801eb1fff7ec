/**
 * What an exhaustive play leaves in its folder while it goes on, so that it can go on after whatever has ended it:
 * `plan.json`, what was asked for, and `units.jsonl`, what came of each unit.
 */

import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { whyUnread } from '../../files/dataError.ts';
import { readStoredText } from '../../files/inputFile.ts';
import { jsonOf, readStoredJson } from '../../files/json.ts';
import { writeJson } from '../../regress/atomicFile.ts';
import type { FaultKind } from './placement.ts';
import type { NamedScenario } from '../many/jobs/namedScenarios.ts';
import type { UnitFindings } from './unit.ts';
import { type EXHAUST_FORMAT, exhaustPlanSchema, journalledUnitSchema } from './exhaustSchema.ts';

/** What was asked for. */
export interface ExhaustPlan {
  readonly format: typeof EXHAUST_FORMAT;
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
    return readStoredJson(path, exhaustPlanSchema);
  } catch (error) {
    const why = whyUnread(error);
    if (why === undefined) throw error;
    return `--resume ${folder}: ${PLAN} cannot be read: ${why}; ${hint}`;
  }
}

/** Units that have been played; a line that was cut off is none. @returns a message for the user where it cannot be read */
export function readUnits(folder: string): readonly JournalledUnit[] | string {
  const path = join(folder, UNITS);
  if (!existsSync(path)) return [];
  try {
    const lines = readStoredText(path, { mostBytes: MOST_BYTES }).split('\n');
    return lines.flatMap((line) => unitIn(line) ?? []);
  } catch (error) {
    const why = whyUnread(error);
    if (why === undefined) throw error;
    return `--resume ${folder}: ${UNITS} cannot be read: ${why}; take it away to play all units again`;
  }
}

/** Some hundred thousand units; the longest text that Node takes is a little longer. */
const MOST_BYTES = 480 * 2 ** 20;

function unitIn(line: string): JournalledUnit | undefined {
  if (line === '') return undefined;
  try {
    return jsonOf(line, journalledUnitSchema);
  } catch (error) {
    if (whyUnread(error) === undefined) throw error;
    return undefined;
  }
}

/** Adds a unit; in a line of its own also where the one before was cut off. */
export function appendUnit(folder: string, unit: JournalledUnit): void {
  appendFileSync(join(folder, UNITS), `\n${JSON.stringify(unit)}`);
}
