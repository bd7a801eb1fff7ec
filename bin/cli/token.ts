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
