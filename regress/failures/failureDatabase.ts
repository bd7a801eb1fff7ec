/**
 * The folder of failures that must not come back (`.failures`): an entry for each, `<name>.json` with `<name>.yaml`, the
 * scenario, beside it. Made to be kept with the sources: entries hold no times and no counts, a file changes only when a
 * failure is found and when it has been fixed, and folders of several people merge by copying.
 */

import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { whyUnread } from '../../files/dataError.ts';
import { readStoredJson } from '../../files/json.ts';
import { writeAtomically, writeJson } from '../atomicFile.ts';
import { statOf } from '../../files/statOf.ts';
import {
  entryName,
  isEntryName,
  type FailureEntry,
  FAILURE_FORMAT,
  type FailureKey,
  failureSchema,
} from './failureEntry.ts';

export const FAILURES_FOLDER = '.failures';

/** An entry with its name, and the path of its scenario. */
export interface StoredFailure {
  readonly name: string;
  readonly path: string;
  readonly scenarioPath: string;
  readonly entry: FailureEntry;
}

export class FailureDatabase {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** All entries in the order of their names, and one message for each file that is none. */
  read(): { readonly failures: readonly StoredFailure[]; readonly problems: readonly string[] } {
    if (statOf(this.folder)?.isDirectory() !== true) return { failures: [], problems: [] };
    const names = readdirSync(this.folder).filter((name) => name.endsWith('.json'));
    const failures: StoredFailure[] = [];
    const problems: string[] = [];
    for (const name of names.sort()) {
      const found = this.#readOne(name.replace(/\.json$/, ''));
      if (typeof found === 'string') problems.push(found);
      else failures.push(found);
    }
    return { failures, problems };
  }

  /** Notes an open failure with its scenario; one that is there already is replaced. @returns path of the entry */
  note(found: FailureKey & Pick<FailureEntry, 'seed' | 'testPath' | 'args'>, scenario: string): string {
    const name = entryName(found);
    const { test, seed, dut, signature, testPath, testSha256, args } = found;
    const about = { test, seed, dut, signature, testPath, testSha256, args };
    const entry: FailureEntry = { format: FAILURE_FORMAT, status: 'open', ...about, scenario: `${name}.yaml` };
    const path = join(this.folder, `${name}.json`);
    writeAtomically(join(this.folder, entry.scenario), scenario);
    writeJson(path, entry);
    return path;
  }

  /** An open failure has passed: the only time that an entry changes by itself. */
  fixed({ path, entry }: StoredFailure): void {
    if (entry.status === 'open') writeJson(path, { ...entry, status: 'fixed' });
  }

  #readOne(name: string): StoredFailure | string {
    const path = join(this.folder, `${name}.json`);
    if (!isEntryName(name)) return `${path}: no entry of a failure has such a name; take it away, or name it otherwise`;
    let entry: FailureEntry;
    try {
      entry = readStoredJson(path, failureSchema);
    } catch (error) {
      const why = whyUnread(error);
      if (why === undefined) throw error;
      return `${path}: no entry of a failure: ${why}; mend it, or take it away`;
    }
    const scenarioPath = join(this.folder, entry.scenario);
    if (statOf(scenarioPath)?.isFile() !== true || lstatSync(scenarioPath).isSymbolicLink())
      return `${path}: its scenario ${scenarioPath} is not there as an ordinary file`;
    return { name, path, scenarioPath, entry };
  }
}
