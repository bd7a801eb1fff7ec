/**
 * The journal of a regression, `runs.jsonl`: one line per event, appended as it happens.
 *
 * Whatever happens to the regression, what has ended is on disk. The first line says what was planned, so that a
 * later reader (resuming, triage, merging shards) needs nothing but this file.
 */

import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Job, JobResult } from './job.ts';
import { makeFolder } from './makeFolder.ts';

export interface JournalPlan {
  readonly source: string;
  readonly seed: number;
  readonly jobs: readonly Job[];
}

type Line =
  | { readonly kind: 'plan'; readonly plan: JournalPlan }
  | { readonly kind: 'result'; readonly result: JobResult };

export class JournalWriter {
  readonly #file: number;

  /** Creates the file and its folder and writes the plan. */
  constructor(path: string, plan: JournalPlan) {
    makeFolder(dirname(path));
    this.#file = openSync(path, 'a');
    this.#append({ kind: 'plan', plan });
  }

  result(result: JobResult): void {
    this.#append({ kind: 'result', result });
  }

  close(): void {
    closeSync(this.#file);
  }

  /** One write per line, unless the system takes less than all of it: a crash in between cannot mix lines. */
  #append(line: Line): void {
    let bytes: Uint8Array = Buffer.from(`${JSON.stringify(line)}\n`);
    while (bytes.length > 0) bytes = bytes.subarray(writeSync(this.#file, bytes));
  }
}

export interface Journal {
  readonly plan: JournalPlan | undefined;
  readonly results: readonly JobResult[];
  /** The last line was cut off, as after a power failure. */
  readonly torn: boolean;
}

/**
 * Reads a journal; a torn last line is left out.
 * @throws SyntaxError when a line in the middle is not JSON
 */
export function readJournal(path: string): Journal {
  const lines = readFileSync(path, 'utf8').split('\n');
  const torn = lines.pop() !== '';
  let plan: JournalPlan | undefined;
  const results: JobResult[] = [];
  for (const text of lines) {
    const line = JSON.parse(text) as Line;
    if (line.kind === 'plan') plan = line.plan;
    else results.push(line.result);
  }
  return { plan, results, torn };
}
