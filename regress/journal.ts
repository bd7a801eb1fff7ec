/**
 * The journal of a regression, `runs.jsonl`: one line per event, appended as it happens.
 *
 * Whatever happens to the regression, what has ended is on disk. The first line says what was planned, so that a
 * later reader (resuming, triage, merging shards) needs nothing but this file. The last one says that nothing follows:
 * a journal without it was cut off.
 */

import { closeSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Job, JobResult } from './job.ts';
import { makeFolder } from './makeFolder.ts';

/** What the regression sets out to do: the first line. */
export interface JournalPlan {
  readonly source: string;
  readonly seed: number;
  readonly jobs: readonly Job[];
}

/** How the regression ended: the last line. */
export interface JournalEnd {
  /** When, ISO 8601, UTC. */
  readonly ended: string;
  readonly wallMs: number;
  /** Planned runs without a result: more than 0 when the regression was stopped. */
  readonly notRun: number;
  /** Of the regression, as far as its runs decide it. */
  readonly exitCode: number;
}

type Line =
  | { readonly kind: 'plan'; readonly plan: JournalPlan }
  | { readonly kind: 'result'; readonly result: JobResult }
  | { readonly kind: 'end'; readonly end: JournalEnd };

/** Writes the journal of one regression. */
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

  /** Nothing follows it. */
  end(end: JournalEnd): void {
    this.#append({ kind: 'end', end });
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
