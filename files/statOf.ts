/** Looks at what lies under a name that a user gave. */

import { type Stats, statSync } from 'node:fs';
import { isFileError } from './fileError.ts';

/** Undefined where there is nothing, or can be nothing: a name may be too long, or lead through a file. */
export function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (!isFileError(error)) throw error;
    return undefined;
  }
}
