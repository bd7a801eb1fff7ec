/** Keeps the results of two regressions in one folder apart. */

import { existsSync, readdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from './makeFolder.ts';

/** What a regression leaves in its folder: one of the first two is there from its start, or from its first generation. */
const BEGUN = ['runs.jsonl', 'closure.json'] as const;
const RESULTS = /^(runs\.jsonl|report\.json|junit\.xml|runs|coverage\.jsonl|closure\.json|generation-\d+)$/;

/**
 * Moves the results of an earlier regression into a folder within.
 * @param folder of the regression that is to begin
 * @returns where they are now; undefined when there are none
 */
export function setEarlierAside(folder: string): string | undefined {
  const begun = BEGUN.map((name) => join(folder, name)).find((path) => existsSync(path));
  if (begun === undefined) return undefined;
  const stamp = statSync(begun)
    .mtime.toISOString()
    .replace(/\.\d+Z$/, '')
    .replace(/[-:]/g, '');
  const aside = freeName(join(folder, `earlier-${stamp}`));
  makeFolder(aside);
  for (const name of readdirSync(folder).filter((file) => RESULTS.test(file)))
    renameSync(join(folder, name), join(aside, name));
  return aside;
}

function freeName(wanted: string): string {
  let name = wanted;
  for (let n = 2; existsSync(name); n++) name = `${wanted}-${n}`;
  return name;
}
