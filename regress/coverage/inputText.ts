/** Reads what a user names for `hca_regress coverage`: stores, plans, exclusions. */

import { InputError, readInputText } from '../../files/inputFile.ts';
import { fileReason, isFileError } from '../../files/fileError.ts';
import { CoverageError } from './coverageError.ts';

/** How a file is named in a message, and what else is to be said. */
export interface InputText {
  /** Default: its path. */
  readonly named?: string;
  /** What to do when it cannot be read. */
  readonly hint?: string;
  /** Default: 64 MiB. */
  readonly mostBytes?: number;
}

/** @throws CoverageError when it cannot be read, is a device, is too large, or is a pipe that says nothing */
export function inputText(path: string, { named = path, hint, mostBytes }: InputText = {}): string {
  try {
    return readInputText(path, mostBytes === undefined ? {} : { mostBytes });
  } catch (error) {
    throw unreadable(named, error, hint);
  }
}

/** A CoverageError in place of what the file system says; everything else stays what it is. */
export function unreadable(named: string, error: unknown, hint?: string): unknown {
  if (error instanceof InputError) return new CoverageError([`${named}: cannot be read, ${error.message}`]);
  if (!isFileError(error)) return error;
  const advice = hint === undefined ? '' : `; ${hint}`;
  return new CoverageError([`${named}: cannot be read, ${fileReason(error)}${advice}`]);
}
