/**
 * Modules for the processes that specs start. From source each of them takes seconds to translate what it loads; in one file
 * of JavaScript it takes a tenth.
 */

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildSync } from 'esbuild';
import type { WorkerPrograms } from '../../../bin/many/localPool.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
// As deep as the programs of the build, which look for the project's files from where they are.
const FOLDER = join(ROOT, 'dist/spec');

const done = new Map<string, string>();

/** @param source path in the project @returns the file that holds it and all it imports of the project */
export function bundledFile(source: string): string {
  const file = done.get(source) ?? bundle(source);
  done.set(source, file);
  return file;
}

/** As `bundledFile`, for `import`. */
export function bundledUrl(source: string): string {
  return pathToFileURL(bundledFile(source)).href;
}

/** What `main` of hca_regress needs to play with the fake player in workers. */
export function fakeWorkers(): Required<Pick<WorkerPrograms, 'workerFile' | 'playerUrl'>> {
  return { workerFile: bundledFile('regress/worker.ts'), playerUrl: bundledUrl('tests/spec/support/fakePlayer.ts') };
}

/**
 * The same to play for real: programs of the build, made anew if sources have changed.
 * @param player module of the project that plays, without extension
 */
export function builtWorkers(player = 'bin/player'): WorkerPrograms {
  const built = spawnSync(process.execPath, [join(ROOT, 'scripts/build/bootstrap.mjs')], { stdio: 'inherit' });
  if (built.status !== 0) throw new Error('the project could not be built');
  const file = (path: string): string => join(ROOT, 'dist', path);
  const url = (module: string): string => pathToFileURL(file(`${module}.js`)).href;
  return {
    workerFile: file('regress/worker.js'),
    playerUrl: url(player),
    shrinkPlayerUrl: url('bin/shrink/shrinkPlayer'),
    bugPlayerUrl: url('bin/bugs/bugPlayer'),
  };
}

function bundle(source: string): string {
  mkdirSync(FOLDER, { recursive: true });
  const file = join(FOLDER, source.replaceAll('/', '-').replace(/\.ts$/, '.js'));
  // Other processes of specs write the same file, and read it.
  const folder = mkdtempSync(join(FOLDER, 'new-'));
  const outfile = join(folder, 'bundle.js');
  buildSync({
    entryPoints: [join(ROOT, source)],
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    outfile,
    logLevel: 'error',
  });
  renameSync(outfile, file);
  rmSync(folder, { recursive: true });
  return file;
}
