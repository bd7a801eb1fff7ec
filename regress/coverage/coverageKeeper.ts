/** The coverage of a regression while it goes on, and its store at the end. */

import { existsSync } from 'node:fs';
import { fileProblem } from '../../files/fileError.ts';
import { coverageTree } from './coverageTree.ts';
import { type CoverageDatabase, runsOf } from './database.ts';
import type { MeasuredRun } from './measuredRun.ts';
import { readStore } from './readStore.ts';
import type { Total } from './totalLine.ts';
import { StoreWriter, writeStore } from './writeStore.ts';

export class CoverageKeeper {
  readonly #path: string;
  #writer: StoreWriter | undefined;
  #problem: string | undefined;
  #database: CoverageDatabase | undefined;

  readonly #earlier: CoverageDatabase | undefined;

  /**
   * @param path of the store; created with the first run
   * @param earlier names of the runs of a regression that goes on: what the store has of them stays. Default: it begins
   * @throws CoverageError where the store of before cannot be read
   */
  constructor(path: string, earlier?: ReadonlySet<string>) {
    this.#path = path;
    this.#earlier = earlier === undefined || !existsSync(path) ? undefined : keptOf(path, earlier);
  }

  /** Writes a run down at once: what has been measured stays, whatever happens to the regression. */
  add({ groups, run }: MeasuredRun): void {
    if (this.#problem !== undefined) return;
    this.#problem = fileProblem(this.#path, () => {
      this.#open().add(groups, run);
    });
  }

  /**
   * Brings groups and runs into the order of all stores, so that the same runs leave the same store however many
   * processes have played them.
   * @returns what could not be written
   */
  close(): readonly string[] {
    if (this.#earlier !== undefined && this.#problem === undefined)
      this.#problem = fileProblem(this.#path, () => void this.#open());
    const writer = this.#writer;
    this.#writer = undefined;
    if (writer !== undefined && this.#problem === undefined) {
      writer.close();
      this.#problem = fileProblem(this.#path, () => {
        this.#database = readStore(this.#path);
        writeStore(this.#path, this.#database);
      });
    }
    return this.#problem === undefined ? [] : [this.#problem];
  }

  /** What was there before is written anew, without what was cut off. */
  #open(): StoreWriter {
    if (this.#writer !== undefined) return this.#writer;
    const writer = new StoreWriter(this.#path);
    this.#writer = writer;
    for (const run of this.#earlier?.runs ?? []) writer.add(this.#earlier?.groups ?? [], run);
    return writer;
  }

  /** Of runs that passed; undefined where nothing was measured, or before `close`. */
  get total(): Total | undefined {
    if (this.#database === undefined) return undefined;
    return coverageTree(runsOf(this.#database, ({ passed }) => passed));
  }
}

/** A run whose coverage was written down and whose result was not is played again, and measured again. */
function keptOf(path: string, earlier: ReadonlySet<string>): CoverageDatabase {
  const { groups, runs } = readStore(path);
  return { groups, runs: runs.filter(({ name }) => earlier.has(name)) };
}
