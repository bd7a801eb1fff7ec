/** Files that users meant to be found as tests, sequences or components, and that lie where nobody looks. */

import { readdirSync } from 'node:fs';

/** Folders whose modules are found; those below `tests` are not. */
const FOLDERS = ['tests', 'sequences/library', 'env/library'] as const;
/** Below `tests` are the project's own specs. */
const OWN = /^spec\//;
const SOURCE = /\.([cm]?[jt]sx?)$/;

/**
 * One sentence for each file below the folders that is skipped because of its place or its ending, in their order: what
 * it is, and where it belongs.
 * @param root folder of the project
 */
export function misplacedFiles(root: URL): string[] {
  return FOLDERS.flatMap((folder) =>
    filesBelow(new URL(`${folder}/`, root))
      .filter((file) => folder !== 'tests' || isTest(file))
      .flatMap((file) => sentence(folder, file)),
  );
}

function isTest(file: string): boolean {
  const name = file.slice(file.lastIndexOf('/') + 1);
  return /^test[A-Z]/.test(name) && !OWN.test(file) && !name.includes('.spec.');
}

function sentence(folder: string, file: string): string[] {
  const [, ending] = SOURCE.exec(file) ?? [];
  if (ending === undefined || file.endsWith('.d.ts')) return [];
  const name = file.slice(file.lastIndexOf('/') + 1).replace(SOURCE, '.ts');
  const nested = folder === 'tests' && file.includes('/');
  if (ending === 'ts' && !nested) return [];
  const why = [...(nested ? ['it is in a subfolder'] : []), ...(ending === 'ts' ? [] : [`it ends in .${ending}`])];
  return [
    `${folder}/${file} is skipped, because ${why.join(' and ')}; it belongs into ${folder}/${nested ? name : file.replace(SOURCE, '.ts')}`,
  ];
}

/** Paths relative to a folder, sorted; empty where there is none. */
function filesBelow(folder: URL): string[] {
  try {
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    return names.map((name) => name.replaceAll('\\', '/')).sort();
  } catch {
    return [];
  }
}
