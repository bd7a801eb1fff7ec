/**
 * Writes `dut-model/nicCatalog.ts`, the index of the kinds of NIC that ship, from what is there: `dut-model/<kind>/entry.ts`.
 * Imports are static, so that the bundle takes the kinds in.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { kindsBelow } from '../start/nicKinds.cjs';

const CATALOG = 'dut-model/nicCatalog.ts';
/** The kind of a run that names none; tables begin with it. */
const FIRST = 'hangu';

/** Writes the index if it is not what it must be. Without a kind there is none. @param {string} root */
export function writeNicCatalog(root) {
  const text = nicCatalogText(root);
  const path = join(root, CATALOG);
  if (text !== '' && text !== textOf(path)) writeFileSync(path, text);
}

/** @param {string} root @returns {string} '' where there is no kind */
export function nicCatalogText(root) {
  const kinds = kindsBelow(root).sort((a, b) => Number(b.folder === FIRST) - Number(a.folder === FIRST));
  if (kinds.length === 0) return '';
  const names = kinds.map(({ folder }) => folder.replace(/\W+(\w)/g, (_, letter) => letter.toUpperCase()));
  const imports = kinds.map(({ folder }, i) => `import { ENTRY as ${names[i]} } from './${folder}/entry.ts';`);
  return `/** The kinds of NIC that ship, for \`+DUT=\`: written by the build from \`dut-model/<kind>/entry.ts\`. */
import type { NicEntry } from '../env/nicKind.ts';
${imports.join('\n')}

export const NIC_CATALOG: readonly NicEntry[] = [${names.join(', ')}];
`;
}

/** @param {string} path */
function textOf(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
