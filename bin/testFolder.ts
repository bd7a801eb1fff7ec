/**
 * A folder of tests, sequences, components and NIC models outside of the project, named by `+TEST_PATH`.
 *
 * Compiled by scripts/build/testFolder.mjs. Its modules import those of the project from where Node finds them, so that the
 * program has to run from there as well, not from its bundle.
 */

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { CompiledFolder } from '../regress/pool/player.ts';
import { similarFile } from './cli/similarFile.ts';
import { projectRoot } from './versions.ts';

/** A module of the folder, loaded. */
export interface OwnModule {
  /** Source as seen from where the run was asked for. */
  readonly file: string;
  readonly exports: Readonly<Record<string, unknown>>;
}

/**
 * Compiles what has changed since the last time. A string says what is wrong with the folder.
 * @param say told before something takes long
 */
export async function compileFolder(
  path: string,
  cwd: string,
  say: (line: string) => void,
): Promise<CompiledFolder | string> {
  const { compileTestFolder, TestFolderError } = (await import(
    new URL('scripts/build/testFolder.mjs', projectRoot()).href
  )) as Compiler;
  const root = fileURLToPath(projectRoot());
  const folder = resolve(cwd, path);
  try {
    return await compileTestFolder({ root, folder, fromSource: import.meta.url.endsWith('.ts'), say });
  } catch (error) {
    const hint = existsSync(folder) ? '' : similarFile(path, cwd);
    if (error instanceof TestFolderError) return `+TEST_PATH=${path}: ${error.message}${hint}`;
    throw error;
  }
}

interface Place {
  readonly root: string;
  readonly folder: string;
  readonly fromSource: boolean;
  readonly say: (line: string) => void;
}

interface Compiler {
  compileTestFolder(place: Place): Promise<CompiledFolder>;
  readonly TestFolderError: new () => Error;
}

/** Loads the modules in their order. A string says which one cannot be loaded, and why. */
export async function loadFolder(path: string, { output, modules }: CompiledFolder): Promise<OwnModule[] | string> {
  // Stack traces name the sources: those of the bundle, which maps its own, are not needed any more.
  Object.assign(Error, { prepareStackTrace: undefined });
  process.setSourceMapsEnabled(true);
  const loaded: OwnModule[] = [];
  for (const name of modules) {
    const file = join(path, `${name}.ts`);
    try {
      const exports = (await import(pathToFileURL(join(output, `${name}.mjs`)).href)) as OwnModule['exports'];
      loaded.push({ file, exports });
    } catch (error) {
      return `+TEST_PATH=${path}: ${file} cannot be loaded: ${error instanceof Error ? error.message : error}`;
    }
  }
  return loaded;
}
