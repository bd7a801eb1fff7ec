/** What keeps coverage from being read; one message a problem, each with file and line where there is one. */
export class CoverageError extends Error {
  override readonly name = 'CoverageError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}
