/** One word of the command line and where it stands, for messages. */
export interface Token {
  readonly text: string;
  /** `command line` or `options.f:12`. */
  readonly where: string;
}

/** The words of a command line as typed. */
export function commandLineTokens(argv: readonly string[]): Token[] {
  return argv.map((text) => ({ text, where: 'command line' }));
}

/** What is said of a word without letters, as an empty variable of a shell leaves it in quotes. */
export function emptyWord({ where }: Token): string {
  return `"" (${where}): an empty argument; leave it out, or see to the variable that it comes from`;
}
