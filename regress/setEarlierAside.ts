/** Keeps the results of two regressions in one folder apart. */

import { existsSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from './makeFolder.ts';

/** What a regression leaves in its folder; the journal is there from the start. */
const JOURNAL = 'runs.jsonl';
const RESULTS = [JOURNAL, 'report.json', 'junit.xml', 'runs'] as const;

/**
 * Moves the results of an earlier regression into a folder within.
 * @param folder of the regression that is to begin
 * @returns where they are now; undefined when there are none
 */
export function setEarlierAside(folder: string): string | undefined {
  const journal = join(folder, JOURNAL);
  if (!existsSync(journal)) return undefined;
  const stamp = statSync(journal)
    .mtime.toISOString()
    .replace(/\.\d+Z$/, '')
    .replace(/[-:]/g, '');
  const aside = freeName(join(folder, `earlier-${stamp}`));
  makeFolder(aside);
  for (const name of RESULTS) if (existsSync(join(folder, name))) renameSync(join(folder, name), join(aside, name));
  return aside;
}

function freeName(wanted: string): string {
  let name = wanted;
  for (let n = 2; existsSync(name); n++) name = `${wanted}-${n}`;
  return name;
}
