/**
 * The journal of a regression, `runs.jsonl`: one line per event, appended as it happens.
 *
 * Whatever happens to the regression, what has ended is on disk. The first line says what was planned, so that a
 * later reader (resuming, triage, merging shards) needs nothing but this file. The last one says that nothing follows:
 * a journal without it was cut off.
 */

import { closeSync, fstatSync, ftruncateSync, openSync, statSync, truncateSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Job, JobResult, SkippedJob } from './job.ts';
import type { KnownEntry } from './known/knownJudge.ts';
import { makeFolder } from './makeFolder.ts';
import type { PlayerSettings } from './pool/player.ts';
import type { ShardPlan } from './shard.ts';

/** How the runs of a regression are played, for whoever goes on with it. */
export interface RegressionSettings extends Required<Pick<PlayerSettings, 'keep' | 'timeoutSeconds' | 'coverage'>> {
  /** JavaScript heap of a worker in MiB. */
  readonly heapMb: number;
}

/** What the regression sets out to do: the first line. */
export interface JournalPlan {
  /** What the user named: `lists/smoke.yaml`. */
  readonly source: string;
  /** What the user named, where it was more than one thing. Default: the source alone. */
  readonly lists?: readonly string[] | undefined;
  /** Seed from which those of the runs are derived. */
  readonly seed: number;
  /** The line that repeats the regression, with the seed that was drawn. */
  readonly command: string;
  /** When it began, ISO 8601, UTC. */
  readonly started: string;
  /** Hash over the sources that were built; '' where it is not known. */
  readonly sources: string;
  readonly settings: RegressionSettings;
  readonly jobs: readonly Job[];
  /** They are a part of the runs of the list. Default: all of them. */
  readonly shard?: ShardPlan | undefined;
  /** Runs of the list that are left out, because the NIC does not have what they need. Default: none. */
  readonly skipped?: readonly SkippedJob[] | undefined;
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
  /** What came of known issues; absent where there are none. */
  readonly known?: readonly KnownEntry[] | undefined;
}

type Line =
  | { readonly kind: 'plan'; readonly plan: JournalPlan }
  | { readonly kind: 'result'; readonly result: JobResult }
  | { readonly kind: 'end'; readonly end: JournalEnd };

/** Writes the journal of one regression. */
export class JournalWriter {
  readonly #path: string;
  readonly #file: number;

  /** Creates the file and its folder and writes the plan; undefined = the file has one. */
  constructor(path: string, plan: JournalPlan | undefined) {
    this.#path = path;
    makeFolder(dirname(path));
    this.#file = openSync(path, 'a');
    if (plan !== undefined) this.#append({ kind: 'plan', plan });
  }

  /**
   * Goes on with the journal of a regression that was cut off.
   * @param wholeBytes of its whole lines: what is behind them was being written when it ended
   */
  static continued(path: string, wholeBytes: number): JournalWriter {
    truncateSync(path, wholeBytes);
    return new JournalWriter(path, undefined);
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

  /**
   * One write per line, unless the system takes less than all of it: a crash in between cannot mix lines. What a full disk
   * has taken of one is taken back.
   * @throws the error of the file system; also where somebody has removed or moved the file, which the system still takes
   */
  #append(line: Line): void {
    const file = fstatSync(this.#file);
    if (statSync(this.#path, { throwIfNoEntry: false })?.ino !== file.ino) throw gone();
    let bytes: Uint8Array = Buffer.from(`${JSON.stringify(line)}\n`);
    try {
      while (bytes.length > 0) bytes = bytes.subarray(writeSync(this.#file, bytes));
    } catch (error) {
      if (file.isFile()) ftruncateSync(this.#file, file.size);
      throw error;
    }
  }
}

function gone(): Error {
  const message = 'ENOENT: somebody has removed or moved it while the regression ran, write';
  return Object.assign(new Error(message), { code: 'ENOENT', syscall: 'write' });
}
