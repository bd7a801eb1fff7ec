/** How mistakes of the user are printed. */

/** All mistakes of one command line, numbered when there are several. */
export function problemReport(program: string, problems: readonly string[]): string {
  const [only] = problems;
  if (problems.length === 1) return `${program}: ${only}\nNothing was run; ${program} --help shows flags and plusargs.`;
  const list = problems.map((problem, i) => `${String(i + 1).padStart(3)}. ${problem}`);
  return `${program}: ${problems.length} mistakes, nothing was run; ${program} --help shows flags and plusargs.\n${list.join('\n')}`;
}
