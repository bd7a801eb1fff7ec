/** `closure.json`: how closure went, generation by generation. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { whyUnread } from '../../files/dataError.ts';
import { readStoredJson } from '../../files/json.ts';
import { writeJson } from '../atomicFile.ts';

const CLOSURE_LOG = 'closure.json';
/** As `generationFolder` names them. */
const GENERATION = /^generation-\d{3,}$/;
const MOST_GENERATIONS = 1_000_000;

/** What came of one generation. Bins are those of all generations up to it. */
export interface GenerationLog {
  /** From 1. */
  readonly number: number;
  /** Folder of its journal and reports, within that of the closure. */
  readonly folder: string;
  readonly runs: number;
  readonly passed: number;
  /** Failed by known issues alone. */
  readonly known?: number;
  readonly bins: number;
  readonly covered: number;
  /** Covered for the first time. */
  readonly gained: number;
  readonly wallMs: number;
  /** What weighed most and least when it was drawn; empty for the first one, which is of the list. */
  readonly weights: readonly (readonly [word: string, weight: number])[];
}

export interface ClosureLog {
  readonly format: 1;
  readonly source: string;
  readonly command: string;
  /** Words of the command line, with the seed, and the folder where they were typed: what goes on begins with them. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** Hash over the sources that were built when it began. */
  readonly sources: string;
  readonly seed: number;
  /** Percent of bins. */
  readonly goal: number;
  readonly started: string;
  /** `reached`, or what has ended it before; '' while it goes on. */
  readonly end: string;
  readonly generations: readonly GenerationLog[];
}

export function writeClosureLog(folder: string, log: ClosureLog): void {
  writeJson(join(folder, CLOSURE_LOG), log);
}

const count = z.int().min(0);

const logSchema = z.looseObject({
  format: z.literal(1),
  source: z.string().default(''),
  command: z.string().default(''),
  argv: z.array(z.string()),
  cwd: z.string(),
  sources: z.string(),
  seed: count.default(0),
  goal: z.number().default(100),
  started: z.iso.datetime('expected a time such as 2026-01-02T03:04:05.000Z'),
  end: z.string().default(''),
  generations: z.array(
    z.looseObject({
      number: z.int().min(1).max(MOST_GENERATIONS),
      folder: z.string().regex(GENERATION, 'expected a folder such as generation-001'),
      runs: count,
      passed: count,
      known: count.default(0),
      bins: count,
      covered: count,
      gained: z.number(),
      wallMs: z.number().min(0).default(0),
      weights: z.array(z.tuple([z.string(), z.number()])).default([]),
    }),
  ),
});

/** Whether a folder is that of a closure. */
export function isClosure(folder: string): boolean {
  return existsSync(join(folder, CLOSURE_LOG));
}

/** How the closure of a folder went so far; a string says why that cannot be read. */
export function readClosureLog(folder: string): ClosureLog | string {
  const path = join(folder, CLOSURE_LOG);
  try {
    return readStoredJson(path, logSchema);
  } catch (error) {
    const why = whyUnread(error);
    if (why === undefined) throw error;
    return `${path}: is no log of a closure: ${why}; name the folder of one that was begun with --until-coverage`;
  }
}

/** `generation-007`. */
export function generationFolder(number: number): string {
  return `generation-${String(number).padStart(3, '0')}`;
}
