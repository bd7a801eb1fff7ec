/** Writes entries into the list of a YAML text, behind those that are there; comments stay. */

import { createRequire } from 'node:module';

/**
 * @param text that has been read and checked; undefined = there is none yet
 * @param key of the list, at the top of the text
 * @param head comment of a new text
 * @throws Error when there is no such list in the text
 */
export function withYamlEntries(
  text: string | undefined,
  key: string,
  entries: readonly object[],
  head: string,
): string {
  // Loaded here: commands that write no YAML need not wait for it.
  const { parseDocument, Document, isSeq } = createRequire(import.meta.url)('yaml') as typeof import('yaml');
  const document = text === undefined ? new Document({ [key]: [] }) : parseDocument(text);
  if (text === undefined) document.commentBefore = head;
  const list = document.get(key);
  if (!isSeq(list)) throw new Error(`${key} is no list`);
  list.flow = false;
  for (const entry of entries) list.add(document.createNode(entry));
  return document.toString({ lineWidth: 0 });
}
