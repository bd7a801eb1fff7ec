/** What the file system has against a file, for people. */

/** The error comes from the operating system, not from a mistake in the program: no stack says more than it does. */
export function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error && 'syscall' in error;
}

/** `no space left on device`, from what Node calls `ENOSPC: no space left on device, write`. */
export function fileReason(error: NodeJS.ErrnoException): string {
  if (error.code === 'EISDIR') return 'it is a folder';
  return error.message.replace(/^E\w+: /, '').replace(/, \w+( '.*)?$/s, '');
}

/**
 * Does something with a file.
 * @param what names the file and what it is: `log a/b.log`
 * @returns `log a/b.log: no space left on device` when the file system refused, undefined when it did not
 */
export function fileProblem(what: string, work: () => void): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (!isFileError(error)) throw error;
    return `${what}: ${fileReason(error)}`;
  }
}
