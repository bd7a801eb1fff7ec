/** `closure.json`: how closure went, generation by generation. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { writeJson } from '../atomicFile.ts';
import { fileReason, isFileError } from '../../files/fileError.ts';

export const CLOSURE_LOG = 'closure.json';

/** What came of one generation. Bins are those of all generations up to it. */
export interface GenerationLog {
  /** From 1. */
  readonly number: number;
  /** Folder of its journal and reports, within that of the closure. */
  readonly folder: string;
  readonly runs: number;
  readonly passed: number;
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

const logSchema = z.looseObject({
  format: z.literal(1),
  argv: z.array(z.string()),
  cwd: z.string(),
  sources: z.string(),
  started: z.string(),
  generations: z.array(
    z.looseObject({
      number: z.number(),
      runs: z.number(),
      passed: z.number(),
      bins: z.number(),
      covered: z.number(),
      gained: z.number(),
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
    const read = logSchema.safeParse(JSON.parse(readFileSync(path, 'utf8')));
    if (read.success) return read.data as unknown as ClosureLog;
    const [issue] = read.error.issues;
    return `${path}: ${issue?.path.join('.') ?? ''} is not what this version writes there (${issue?.message ?? ''})`;
  } catch (error) {
    if (isFileError(error)) return `${path}: ${fileReason(error)}`;
    if (error instanceof SyntaxError) return `${path}: is no JSON; the file has been changed since it was written`;
    throw error;
  }
}

/** `generation-007`. */
export function generationFolder(number: number): string {
  return `generation-${String(number).padStart(3, '0')}`;
}
