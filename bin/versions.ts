/** Versions that a run depends on. */

import { fileURLToPath } from 'node:url';
import { readStoredText } from '../files/inputFile.ts';
import { parseJson } from '../files/json.ts';
import type { Versions } from '../regress/runRecord.ts';

/** Raised whenever equal plusargs and seed no longer give the same scenario. */
const GENERATOR_VERSION = '5';

/** Reads the versions of this build; `root` is the project folder. */
export function currentVersions(root: URL): Versions {
  return {
    harness: packageVersion(root),
    commit: commitOf(root),
    node: process.versions.node,
    generator: GENERATOR_VERSION,
    sources: read(new URL('dist/.sources', root)),
  };
}

/**
 * Files of which the sources of two builds differ, sorted; undefined when the list of one of them is not kept any more.
 * @param before what a record says
 * @param after what another one says
 */
export function changedSources(root: URL, before: string, after: string): readonly string[] | undefined {
  const [old, now] = [sourceLines(root, before), sourceLines(root, after)];
  if (old === undefined || now === undefined) return undefined;
  const changed = [...old, ...now].filter((line) => !old.has(line) || !now.has(line));
  return [...new Set(changed.map((line) => line.slice(line.indexOf('\t') + 1)))].sort();
}

function sourceLines(root: URL, sources: string): ReadonlySet<string> | undefined {
  // What a record says may be anything.
  if (!/^[0-9a-f]+$/.test(sources)) return undefined;
  const list = read(new URL(`dist/sources/${sources}`, root));
  return list === '' ? undefined : new Set(list.split('\n'));
}

/** Folder of the project: above `bin` when run from source, above `dist/bin` when built. */
export function projectRoot(): URL {
  return new URL(import.meta.url.endsWith('.ts') ? '../' : '../../', import.meta.url);
}

function packageVersion(root: URL): string {
  const parsed = parseJson(readStoredText(fileURLToPath(new URL('package.json', root)))) as { version?: string };
  return parsed.version ?? '';
}

/** Read from the files of git: starting git would cost more than the rest of a short run. What was packed has it as a file. */
function commitOf(root: URL): string {
  const head = read(new URL('.git/HEAD', root)).trim();
  if (head === '') return read(new URL('dist/.commit', root)).trim();
  const ref = /^ref: (.+)$/.exec(head)?.[1];
  if (ref === undefined) return head;
  const loose = read(new URL(`.git/${ref}`, root)).trim();
  if (loose !== '') return loose;
  const packed = read(new URL('.git/packed-refs', root)).split('\n');
  return packed.find((line) => line.endsWith(` ${ref}`))?.split(' ')[0] ?? '';
}

function read(file: URL): string {
  try {
    return readStoredText(fileURLToPath(file));
  } catch {
    return '';
  }
}

/** What `--version` prints. */
export function versionText(): string {
  const { harness, commit, node, generator } = currentVersions(projectRoot());
  return `rnic-verify ${harness} (commit ${commit || 'unknown'}), generator ${generator}, Node ${node}`;
}
