/** The coverage of a regression while it goes on, and its store at the end. */

import { fileProblem } from '../fileError.ts';
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

  /** @param path of the store; created with the first run */
  constructor(path: string) {
    this.#path = path;
  }

  /** Writes a run down at once: what has been measured stays, whatever happens to the regression. */
  add({ groups, run }: MeasuredRun): void {
    if (this.#problem !== undefined) return;
    this.#problem = fileProblem(this.#path, () => {
      this.#writer ??= new StoreWriter(this.#path);
      this.#writer.add(groups, run);
    });
  }

  /**
   * Brings groups and runs into the order of all stores, so that the same runs leave the same store however many
   * processes have played them.
   * @returns what could not be written
   */
  close(): readonly string[] {
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

  /** Of runs that passed; undefined where nothing was measured, or before `close`. */
  get total(): Total | undefined {
    if (this.#database === undefined) return undefined;
    return coverageTree(runsOf(this.#database, ({ passed }) => passed));
  }
}
