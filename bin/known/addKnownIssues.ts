/** Writes entries of known issues into their file, behind those that are there; comments stay. */

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { readInputText } from '../../files/inputFile.ts';
import { writeAtomically } from '../../regress/atomicFile.ts';
import type { KnownIssueData } from '../../regress/known/knownIssueSchema.ts';

const HEAD = ' What is known to fail, who looks after it, and until when: docs/running.md.';

/** @param file that holds known issues, or is not there yet */
export function addKnownIssues(file: string, entries: readonly KnownIssueData[]): void {
  const { parseDocument, Document, isSeq } = createRequire(import.meta.url)('yaml') as typeof import('yaml');
  const document = existsSync(file) ? parseDocument(readInputText(file)) : new Document({ known_issues: [] });
  if (!existsSync(file)) document.commentBefore = HEAD;
  const list = document.get('known_issues');
  if (!isSeq(list)) throw new Error(`${file}: known_issues is no list`);
  list.flow = false;
  for (const entry of entries) list.add(document.createNode(entry));
  writeAtomically(file, document.toString({ lineWidth: 0 }));
}
