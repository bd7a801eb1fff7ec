import { ProcessError } from '../kernel/processError.ts';

/** What was thrown in the first place, below the errors that name the processes it passed through. */
export function originOf(error: unknown): unknown {
  return error instanceof ProcessError ? originOf(error.cause) : error;
}

/**
 * An exception with its stack.
 * @param process full name of the process that it began in, if it did in one
 */
export function exceptionText(error: unknown, process: string | undefined): string {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return sourceNames(process === undefined ? text : `${text}\n    in process ${process}`);
}

/** Private members have their names in the sources again, where the build has made plain ones of them. */
function sourceNames(stack: string): string {
  return stack.replace(/\$\w*\$\d+\$/g, '#');
}
