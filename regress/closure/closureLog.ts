/** `closure.json`: how closure went, generation by generation. */

import { join } from 'node:path';
import { writeJson } from '../atomicFile.ts';

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

/** `generation-007`. */
export function generationFolder(number: number): string {
  return `generation-${String(number).padStart(3, '0')}`;
}
