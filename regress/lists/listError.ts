/** Mistakes in a regression list, all of them, each as `file:line:column: what; what to do`. */
export class ListError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}
