/** Writes entries of known issues into their file, behind those that are there; comments stay. */

import { existsSync } from 'node:fs';
import { readInputText } from '../../files/inputFile.ts';
import { withYamlEntries } from '../../files/yamlList.ts';
import { writeAtomically } from '../../regress/atomicFile.ts';
import type { KnownIssueData } from '../../regress/known/knownIssueSchema.ts';

const HEAD = ' What is known to fail, who looks after it, and until when: docs/running.md.';

/** @param file that holds known issues, or is not there yet */
export function addKnownIssues(file: string, entries: readonly KnownIssueData[]): void {
  const text = existsSync(file) ? readInputText(file) : undefined;
  writeAtomically(file, withYamlEntries(text, 'known_issues', entries, HEAD));
}
