/** The lists of the `lists` folder by their bare names: `smoke` for `lists/smoke.yaml`. */

import { statOf } from '../../regress/statOf.ts';
import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nearest } from '../../uvm/cmdline/nearest.ts';
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

/** The name of a shipped list that a user may have meant, if one is near. */
export function nearestList(name: string): string | undefined {
  const names = readdirSync(listFolder()).filter((file) => file.endsWith(EXTENSION));
  return nearest(
    name,
    names.map((file) => file.slice(0, -EXTENSION.length)),
  )[0];
}

function listFolder(): string {
  return fileURLToPath(new URL('lists', projectRoot()));
}
