/** Writes `coverage.jsonl`: the model first, then a line a run. */

import { closeSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { type GroupModel, modelHash } from '../../uvm/coverage/model.ts';
import { writeAtomically } from '../atomicFile.ts';
import { makeFolder } from '../makeFolder.ts';
import { type CoverageDatabase, type CoverageRun, groupRef } from './database.ts';
import { BinNumbering } from './numbering.ts';
import { STORE_FORMAT } from './storeFormat.ts';
import type { ModelLine, RunLine } from './storeSchema.ts';

/** The text of a store with all that a database holds. */
export function storeText(database: CoverageDatabase): string {
  const lines = new StoreText();
  lines.groups(database.groups);
  for (const run of database.runs) lines.run(run);
  return lines.take();
}

/** Writes a database; the file is there whole or not at all. */
export function writeStore(path: string, database: CoverageDatabase): void {
  writeAtomically(path, storeText(database));
}

/** Appends the coverage of runs as they end. Groups that no run before has had get a line of their own. */
export class StoreWriter {
  readonly #file: number;
  readonly #lines = new StoreText();

  /** Creates the file and its folder. */
  constructor(path: string) {
    makeFolder(dirname(path));
    this.#file = openSync(path, 'w');
  }

  /** @param groups of which the run has hits, at least */
  add(groups: readonly GroupModel[], run: CoverageRun): void {
    this.#lines.groups(groups);
    this.#lines.run(run);
    let bytes: Uint8Array = Buffer.from(this.#lines.take());
    while (bytes.length > 0) bytes = bytes.subarray(writeSync(this.#file, bytes));
  }

  close(): void {
    closeSync(this.#file);
  }
}

class StoreText {
  readonly #numbering = new BinNumbering();
  #text = '';

  /** Those that are not known yet. */
  groups(groups: readonly GroupModel[]): void {
    const fresh = groups.filter((group) => !this.#numbering.knows(group));
    if (fresh.length === 0) return;
    for (const group of fresh) this.#numbering.add(group);
    const line = { kind: 'model', format: STORE_FORMAT, hash: modelHash(fresh), groups: fresh };
    this.#add(line as unknown as ModelLine);
  }

  run({ hits, plusargs, ...run }: CoverageRun): void {
    this.#add({ kind: 'run', ...run, plusargs: [...plusargs], hits: [...this.#numbering.flat(hits)] });
  }

  take(): string {
    const text = this.#text;
    this.#text = '';
    return text;
  }

  #add(line: ModelLine | RunLine): void {
    this.#text += `${JSON.stringify(line)}\n`;
  }
}

/** The hits of a run by group, as a run line has them. */
export function hitsByGroup(
  measured: readonly { readonly group: GroupModel; readonly hits: readonly number[] }[],
): CoverageRun['hits'] {
  const hit = measured.filter(({ hits }) => hits.length > 0);
  return Object.fromEntries(hit.map(({ group, hits }) => [groupRef(group), hits]));
}
