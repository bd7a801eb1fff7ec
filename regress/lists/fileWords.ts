/** Words of `hca_test` that name files to be read. */

import { isAbsolute, join } from 'node:path';

/** Flags of `hca_test` that name a file to be read. */
const INPUT_FLAGS: ReadonlySet<string> = new Set(['-f', '-F', '-file', '--scenario']);

/** A path that is relative to a folder, as from where a run is played. */
export function within(folder: string, path: string): string {
  return isAbsolute(path) ? path : join(folder, path);
}

/** Words with the files that flags name, which are relative to a folder, as from where a run is played. */
export function filesWithin(folder: string, words: readonly string[]): string[] {
  return words.map((word, i, all) => {
    const [, flag, inline] = /^(--scenario|-f|-F|-file)=(.*)$/s.exec(word) ?? [];
    if (inline !== undefined) return `${flag}=${within(folder, inline)}`;
    return INPUT_FLAGS.has(all[i - 1] ?? '') ? within(folder, word) : word;
  });
}
