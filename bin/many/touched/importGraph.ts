/** Which source files import which, as esbuild resolves them. */

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

export class ImportGraph {
  readonly #imports: ReadonlyMap<string, readonly string[]>;

  /** @param imports by absolute path */
  constructor(imports: ReadonlyMap<string, readonly string[]>) {
    this.#imports = imports;
  }

  /**
   * Nothing is written. Packages are no part of it.
   * @param entries absolute paths; those that are not there are left out
   * @throws esbuild's error where a file cannot be parsed, or names one that is not there
   */
  static async of(entries: readonly string[], root: string): Promise<ImportGraph> {
    const { build } = await import('esbuild');
    const { metafile } = await build({
      entryPoints: entries.filter((path) => existsSync(path)),
      absWorkingDir: root,
      bundle: true,
      write: false,
      metafile: true,
      packages: 'external',
      platform: 'node',
      format: 'esm',
      outdir: resolve(root, 'dist'),
      logLevel: 'silent',
    });
    const inputs = Object.entries(metafile.inputs);
    return new ImportGraph(
      new Map(
        inputs.map(([path, { imports }]) => [resolve(root, path), imports.map((each) => resolve(root, each.path))]),
      ),
    );
  }

  /** In the order in which they stand. */
  importsOf(path: string): readonly string[] {
    return this.#imports.get(path) ?? [];
  }

  /** Files that others reach, themselves included. @param cut files whose imports are not followed */
  reached(from: Iterable<string>, cut: ReadonlySet<string> = new Set()): ReadonlySet<string> {
    const found = new Set(from);
    // A set is walked on while it grows.
    for (const path of found) if (!cut.has(path)) for (const next of this.#imports.get(path) ?? []) found.add(next);
    return found;
  }
}
