/** Tells of files that change in folders, also in such that are made later. */

import { type FSWatcher, readdirSync, watch } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { statOf } from '../../files/statOf.ts';

/** What editors write beside a file, and what nobody edits. */
const FOLDERS_OF_NONE: ReadonlySet<string> = new Set(['node_modules', 'dist', 'out', 'coverage-report']);
/** Kinds of files that a run is made of. */
const SOURCES: ReadonlySet<string> = new Set([
  '.ts',
  '.mts',
  '.yaml',
  '.yml',
  '.json',
  '.sh',
  '.f',
  '.csh',
  '.bash',
  '.txt',
]);

export class FolderWatch {
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #changed: (path: string) => void;

  /** @param changed told of each event: one change of a file may be several */
  constructor(changed: (path: string) => void) {
    this.#changed = changed;
  }

  /** Folders that are watched. */
  get size(): number {
    return this.#watchers.size;
  }

  /**
   * @param deep folders in it too
   * @throws the error of the system when there are too many
   */
  add(folder: string, deep: boolean): void {
    if (this.#watchers.has(folder) || statOf(folder)?.isDirectory() !== true) return;
    const watcher = watch(folder, (_, name) => {
      if (name !== null) this.#event(join(folder, name), deep);
    });
    // A folder that is taken away.
    watcher.on('error', () => this.#drop(folder));
    this.#watchers.set(folder, watcher);
    if (!deep) return;
    for (const entry of readdirSync(folder, { withFileTypes: true }))
      if (entry.isDirectory() && isWatched(entry.name)) this.add(join(folder, entry.name), true);
  }

  close(): void {
    for (const folder of [...this.#watchers.keys()]) this.#drop(folder);
  }

  #drop(folder: string): void {
    this.#watchers.get(folder)?.close();
    this.#watchers.delete(folder);
  }

  #event(path: string, deep: boolean): void {
    const name = basename(path);
    if (!isWatched(name)) return;
    if (deep && statOf(path)?.isDirectory() === true) this.add(path, true);
    else if (SOURCES.has(extname(name))) this.#changed(path);
  }
}

function isWatched(name: string): boolean {
  return !name.startsWith('.') && !name.endsWith('~') && !FOLDERS_OF_NONE.has(name);
}
