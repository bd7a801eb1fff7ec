/** Finds scripts that a script calls or reads in: their runs would be left out. */

import { readFileSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { textNamesProgram } from './programName.ts';
import { unwrap } from './wrappers.ts';

/** More is no script. */
const MAX_BYTES = 4 * 1024 * 1024;
const SHELLS = /^(sh|bash|dash|ksh|zsh|csh|tcsh)$/;
/** Options of submissions that name a file for input or output. */
const FILE_OPTIONS = /^-(o|oo|e|eo|i|is|J)$/;

/**
 * The file that a command runs as a script, if that file names the program.
 * @param words expanded words of a command that does not name the program itself
 * @param cwd folder that the script has gone to
 * @param read text of a file, undefined when it cannot be read
 */
export function calledScript(
  words: readonly string[],
  cwd: string,
  read: (path: string) => string | undefined = readScript,
): string | undefined {
  return candidates(words).find((name) => {
    const text = read(resolve(cwd, name));
    return text !== undefined && textNamesProgram(text);
  });
}

/** Words that may be scripts which the command runs. */
function candidates(words: readonly string[]): readonly string[] {
  const [first = '', ...rest] = words;
  const inner = unwrap(words);
  if (inner !== undefined) return candidates(inner.words);
  if (first === 'bsub' || first === 'srun') return rest.filter((_, i) => !FILE_OPTIONS.test(words[i] as string));
  if (first === '.' || first === 'source' || SHELLS.test(basename(first)))
    return rest.filter((word) => !/^[-+]/.test(word)).slice(0, 1);
  // A name without folder is looked for in the PATH, where no case scripts are.
  return first.includes('/') ? [first] : [];
}

function readScript(path: string): string | undefined {
  try {
    const found = statSync(path);
    if (!found.isFile() || found.size > MAX_BYTES) return undefined;
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
