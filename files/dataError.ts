/** What was read says something that cannot be taken as it is. */

import { InputError } from './inputFile.ts';
import { fileReason, isFileError } from './fileError.ts';

/** A text is no data, or data of another form. The message says where in the text, what is wrong and what is right. */
export class DataError extends Error {}

/** Why something could not be read, for people; undefined for a mistake in the program, which is to be thrown again. */
export function whyUnread(error: unknown): string | undefined {
  if (error instanceof InputError || error instanceof DataError) return error.message;
  return isFileError(error) ? fileReason(error) : undefined;
}
