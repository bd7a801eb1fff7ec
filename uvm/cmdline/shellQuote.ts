/** Command lines for people to paste into a POSIX shell. */

const SAFE = /^[A-Za-z0-9_@%+=:,./-]+$/;

/** Quotes one argument so that a POSIX shell passes it on unchanged; plain words stay as they are. */
export function shellQuote(argument: string): string {
  if (SAFE.test(argument)) return argument;
  return `'${argument.replaceAll("'", "'\\''")}'`;
}

/** Joins a program and its arguments into one line. */
export function commandLine(argv: readonly string[]): string {
  return argv.map(shellQuote).join(' ');
}
