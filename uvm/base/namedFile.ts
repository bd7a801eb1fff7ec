/** Lets the errors of the file system say which file they are about: those of reading and writing do not. */

/**
 * Does something with a file.
 * @param what the file and what it is for: `capture a/b.pcap`
 * @throws Error that begins with `what` when the file system refuses
 */
export function withNamedFile<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    throw new Error(`${what}: ${error.message}`, { cause: error });
  }
}
