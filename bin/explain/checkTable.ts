/** Every check that a run may report: its id and what it means, from the tables of docs/checks.md, which specs hold against the code. */

import { readInputText } from '../../files/inputFile.ts';
import { fileURLToPath } from 'node:url';
import { projectRoot } from '../versions.ts';

export interface Check {
  readonly id: string;
  readonly meaning: string;
  /** Heading of its table: who reports it, and the file. */
  readonly room: string;
}

const PAGE = 'docs/checks.md';
const HEADING = /^## (.*)$/;
/** A row of a table of ids. Tables about ids have them in brackets or further columns. */
const ROW = /^\| `([A-Z]+_[A-Z0-9_]+)` \| (.*) \|$/;

/** By id. @throws InputError or an error of the file system where the page is not there */
export function readChecks(): ReadonlyMap<string, Check> {
  const checks = new Map<string, Check>();
  let room = '';
  for (const line of readInputText(fileURLToPath(new URL(PAGE, projectRoot()))).split('\n')) {
    const [, heading] = HEADING.exec(line) ?? [];
    if (heading !== undefined) room = heading.replaceAll('`', '');
    const [, id, meaning] = ROW.exec(line) ?? [];
    if (id !== undefined && meaning !== undefined && !checks.has(id)) checks.set(id, { id, meaning, room });
  }
  return checks;
}
