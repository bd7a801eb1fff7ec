/** Makes the files of something new from templates: `templates/<kind>` for the item, `templates/common` for its folder. */

import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readStoredText } from '../../files/inputFile.ts';
import { currentVersions, projectRoot } from '../versions.ts';
import { compilerSettings } from './compilerSettings.ts';
import type { ItemKind } from './itemKinds.ts';
import { type ItemName, named } from './itemName.ts';

/** A file to be made. */
export interface NewFile {
  /** Path from the folder. */
  readonly path: string;
  readonly text: string;
  /** Of the item itself; all others are those of its folder, and stay as they are where they exist. */
  readonly isItem: boolean;
}

/** What belongs to one item, and to the folder in which it lives. */
export async function newFiles(kindName: string, kind: ItemKind, name: ItemName): Promise<NewFile[]> {
  const item = (path: string, template: string): NewFile => ({
    path,
    text: named(templateText(join(kindName, template)), name),
    isItem: true,
  });
  const isInstalled = !existsSync(new URL('tsconfig.build.json', projectRoot()));
  const made = (path: string, value: object): NewFile => ({ path, text: jsonText(value), isItem: false });
  return [
    item(`${kind.place}/${name.camel}.ts`, 'templateName.ts'),
    item(`lists/${name.plain}.yaml`, 'list.yaml'),
    made('package.json', manifest(isInstalled)),
    made('tsconfig.json', await compilerSettings(isInstalled)),
    ...commonFiles(),
  ];
}

/** Writes what is not there. @returns paths of what was there */
export function writeFiles(folder: string, files: readonly NewFile[]): string[] {
  const kept: string[] = [];
  for (const { path, text } of files) {
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true });
    try {
      writeFileSync(target, text, { flag: 'wx' });
    } catch (error) {
      if (!isThere(error)) throw error;
      kept.push(path);
    }
  }
  return kept;
}

function isThere(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST';
}

/** Names that begin with `_` stand for names with a dot, which npm would not pack. */
function commonFiles(): NewFile[] {
  const folder = fileURLToPath(new URL('templates/common', projectRoot()));
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1)).sort();
  return paths.map((path) => ({
    path: path.replace(/^_/, '.'),
    text: templateText(join('common', path)),
    isItem: false,
  }));
}

/** So that `npm ci` of a pipeline installs the programs and the compiler. */
function manifest(isInstalled: boolean): object {
  const root = projectRoot();
  const own = isInstalled ? `^${currentVersions(root).harness}` : `file:${fileURLToPath(root)}`;
  return {
    private: true,
    type: 'module',
    scripts: { typecheck: 'tsc -p .' },
    devDependencies: { 'rnic-verify': own, typescript: '~6.0.3' },
  };
}

function templateText(path: string): string {
  return readStoredText(fileURLToPath(new URL(`templates/${path}`, projectRoot())));
}

function jsonText(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
