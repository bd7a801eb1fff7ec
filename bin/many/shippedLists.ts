/** The lists of the `lists` folder by their bare names: `smoke` for `lists/smoke.yaml`. */

import { statOf } from '../../files/statOf.ts';
import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expandList } from '../../regress/lists/expandList.ts';
import { ListDocument } from '../../regress/lists/listDocument.ts';
import { readInputText } from '../../files/inputFile.ts';
import { nearest } from '../../uvm/cmdline/nearest.ts';
import { DEFAULT_SEED } from '../cli/seed.ts';
import { projectRoot } from '../versions.ts';

const EXTENSION = '.yaml';

/** Path, from `cwd`, of the shipped list that a bare name means; a file of that name goes first, and a path stays what it is. */
export function listPath(name: string, cwd = process.cwd()): string {
  if (!/^\w+$/.test(name)) return name;
  const own = statOf(join(cwd, name));
  if (own !== undefined && !own.isDirectory()) return name;
  const path = join(listFolder(), name + EXTENSION);
  return existsSync(path) ? relative(cwd, path) : name;
}

/** A list of the folder `lists`. */
export interface ShippedList {
  /** What `run` takes. */
  readonly name: string;
  readonly description: string;
  /** How many runs it has as it is. */
  readonly runs: number;
  readonly families: readonly string[];
}

/** All shipped lists, by name. @param sequences names of those that there are */
export function shippedLists(sequences: readonly string[]): ShippedList[] {
  return listNames().map((name) => {
    const path = join(listFolder(), name + EXTENSION);
    const { description = '' } = new ListDocument(path, readInputText(path)).data;
    const { jobs } = expandList(path, { baseSeed: DEFAULT_SEED, cwd: process.cwd(), sequences });
    return { name, description, runs: jobs.length, families: [...new Set(jobs.map(({ family }) => family))] };
  });
}

/** The name of a shipped list that a user may have meant, if one is near. */
export function nearestList(name: string): string | undefined {
  return nearest(name, listNames())[0];
}

function listNames(): string[] {
  const files = readdirSync(listFolder()).filter((file) => file.endsWith(EXTENSION));
  return files.map((file) => file.slice(0, -EXTENSION.length)).sort();
}

function listFolder(): string {
  return fileURLToPath(new URL('lists', projectRoot()));
}
